export { normalCdf, normalDensity } from './normal.js'
