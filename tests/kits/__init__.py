"""What tests share: builders of trees, stores and repositories, and drivers of servers and browsers. No mocks."""
