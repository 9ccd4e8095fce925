/** The command line, and the one place where everything is put together. */
@NullMarked
package dev.portal.app;

import org.jspecify.annotations.NullMarked;
