// The styles of all acts, which load when the reader comes near, in one file: if several style sheets load at once, WebKit
// lays out the first without its rules.
import.meta.glob(['../acts/*/style.css', '../questions/style.css'], { eager: true });
