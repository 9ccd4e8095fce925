/**
 * GGUF files: the model's metadata and its weights, mapped into memory and never copied.
 *
 * <p>All numbers are little-endian. A text is its length in bytes (u64) and its UTF-8 bytes.
 *
 * <pre>
 * "GGUF"  u32 version (2 or 3)  u64 tensors  u64 keys
 * keys    times: text key, u32 type, value          (an array: u32 element type, u64 count, elements)
 * tensors times: text name, u32 dimensions, u64 size of each, u32 type, u64 offset
 * padding to general.alignment (32 unless the key says otherwise)
 * weights: each tensor at the start of this part plus its offset
 * </pre>
 *
 * <p>Sizes are written fastest first: a matrix of {@code [K, N]} has N rows of K weights, one row an output.
 */
@NullMarked
package dev.portal.llm.gguf;

import org.jspecify.annotations.NullMarked;
