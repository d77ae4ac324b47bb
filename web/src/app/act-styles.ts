// The styles of what is loaded when the reader comes near, in one file: of several on their way WebKit lays out the first
// without its rules.
import.meta.glob(['../acts/*/style.css', '../questions/style.css'], { eager: true });
