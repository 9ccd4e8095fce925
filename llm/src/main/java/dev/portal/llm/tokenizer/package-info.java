/**
 * Text to tokens and back, by the vocabulary in a GGUF file: SentencePiece with byte fallback ({@code
 * tokenizer.ggml.model} is {@code llama}) and byte-level BPE ({@code gpt2}), with the same ids as llama.cpp.
 *
 * <p>Bytes are worked on as ISO-8859-1 strings, one character a byte, so that text which is not UTF-8 survives the way
 * there and back.
 */
@NullMarked
package dev.portal.llm.tokenizer;

import org.jspecify.annotations.NullMarked;
