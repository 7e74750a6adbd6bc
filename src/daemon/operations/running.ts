import type { RunningService } from '../daemon.js'
import { builders } from './operation.js'

/** The builders of operations whose functions take the whole service. */
export const { keyed, keyedChange, signedIn, open, http } = builders<RunningService>()
