export { strategyCursor, strategyLegs } from '../strategies.js'
