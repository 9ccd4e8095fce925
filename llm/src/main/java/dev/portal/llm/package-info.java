/** The language model as a tenant: the contract, and the engines behind it. */
@NullMarked
package dev.portal.llm;

import org.jspecify.annotations.NullMarked;
