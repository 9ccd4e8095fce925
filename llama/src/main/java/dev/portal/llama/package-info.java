/** llama.cpp behind the bridge protocol, as a program of its own. */
@NullMarked
package dev.portal.llama;

import org.jspecify.annotations.NullMarked;
