/** Brings the models, libraries and test speech from packages, without root, and says what is installed. */
@NullMarked
package dev.portal.app.models;

import org.jspecify.annotations.NullMarked;
