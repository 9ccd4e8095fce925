/** llama.cpp behind the bridge protocol, as a program of its own. */
@NullMarked
package dev.portal.llm.child;

import org.jspecify.annotations.NullMarked;
