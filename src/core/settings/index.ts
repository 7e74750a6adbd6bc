export { Settings } from './settings.js'
