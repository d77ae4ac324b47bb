// The theme with the system's fonts: nothing to download, and no other host.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
