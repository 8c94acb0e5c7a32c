"""LlamaIndex's own vector store and its retriever by words, fused: what a tutorial of it ends with.

Both keep everything in memory and as JSON on disk, so it is asked at small sizes only.
"""

from __future__ import annotations

from benchmarks.search.shelf import Ask, Shelf

LIMIT = 10


def build(shelf: Shelf) -> None:
    import numpy as np
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.schema import TextNode
    from llama_index.retrievers.bm25 import BM25Retriever

    vectors = np.load(shelf.vectors)
    nodes = [
        TextNode(id_=str(place), text=text, embedding=vectors[place].tolist())
        for place, text in enumerate(shelf.texts())
    ]
    folder = shelf.indexed("llamaindex")
    # The vectors are there already; the question's comes with the question.
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=vectors.shape[1]))
    index.storage_context.persist(str(folder / "vectors"))
    BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=LIMIT).persist(str(folder / "words"))


def hybrid(shelf: Shelf) -> Ask:
    from llama_index.core import MockEmbedding, StorageContext, load_index_from_storage
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import QueryBundle
    from llama_index.retrievers.bm25 import BM25Retriever

    from pinakes.neural import load_embedder

    embedder = load_embedder()
    folder = shelf.indexed("llamaindex")
    kept = StorageContext.from_defaults(persist_dir=str(folder / "vectors"))
    index = load_index_from_storage(kept, embed_model=MockEmbedding(embed_dim=1))
    retriever = QueryFusionRetriever(
        [
            index.as_retriever(similarity_top_k=LIMIT),
            BM25Retriever.from_persist_dir(str(folder / "words")),
        ],
        llm=MockLLM(),
        similarity_top_k=LIMIT,
        num_queries=1,
        mode="reciprocal_rerank",
        use_async=False,
    )

    def ask(question: str) -> int:
        vector = embedder.encode([question])[0].tolist()
        return len(retriever.retrieve(QueryBundle(question, embedding=vector)))

    return ask
