"""What changes when a document, a folder or a heading gets another name, and how is it written safely?

Names enter `plan.move` and `plan.rename`; a `MovePlan` leaves, which `apply.apply` carries out as a whole or not at all
and `apply.undo` takes back. Which corpus is meant, and who may ask, is settled by the library.
"""
