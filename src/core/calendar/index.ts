export { Almanac } from './almanac.js'
export { Calendar } from './calendar.js'
export * from './schema.js'
export { SEED_HOLIDAYS, SEED_TIMINGS } from './seed.js'
