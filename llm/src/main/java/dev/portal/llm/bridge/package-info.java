/**
 * The language model in a process of its own: the parent's half of the bridge protocol, and the child's.
 *
 * <p>One JSON object a line in UTF-8, requests on the child's standard input, answers and notifications on its standard
 * output, free text on its standard error (specification of the bridge, section 4.3):
 *
 * <pre>
 * &rarr; {"jsonrpc":"2.0","id":"turn-7","method":"generate","params":{"messages":[{"role":"user","content":"hi"}],…}}
 * &larr; {"jsonrpc":"2.0","method":"token","params":{"id":"turn-7","seq":0,"text":"hello","n":1}}
 * &larr; {"jsonrpc":"2.0","id":"turn-7","result":{"text":"hello","finish_reason":"stop","usage":{…}}}
 * </pre>
 *
 * <p>{@link dev.portal.llm.bridge.ChildSupervisor} owns the child and every deadline; all of its state is guarded by one
 * lock, under which nothing blocks: lines are handled on the thread that read them, writes go through a queue, and text
 * reaches the consumer on the consumer's own thread. Whoever waits also does the work that falls due (timeouts,
 * restarts), so the same code runs on a virtual clock with a single thread.
 */
@NullMarked
package dev.portal.llm.bridge;

import org.jspecify.annotations.NullMarked;
