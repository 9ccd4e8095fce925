/** Looks at the machine and says, for each thing that Portal needs, whether it is there and how to get it. */
@NullMarked
package dev.portal.app.doctor;

import org.jspecify.annotations.NullMarked;
