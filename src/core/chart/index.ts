export { ChartPreferences } from './preferences.js'
