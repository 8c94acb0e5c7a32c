"""What is said between a person and a language model, who is asked, and what is kept of it?

A `ModelPrompt` enters a `ChatModel`, pieces of an answer leave as they come. What was said enters `Sessions`, which
keep it on disk line by line, and leaves as the messages and blocks of the next prompt; when it grows long, a model
summarises its older topics. What stands in a prompt besides is the library's business.
"""

from pinakes.conversation.chat_model import AnswerStream, ChatModel
from pinakes.conversation.options import ConversationOptions

__all__ = ["AnswerStream", "ChatModel", "ConversationOptions"]
