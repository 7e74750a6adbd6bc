import fc from 'fast-check'
import { seedOf } from './chance.js'

/** Gives the properties of a file their seed. fast-check prints it with the case that failed. */
fc.configureGlobal({ seed: seedOf('properties') | 0 })
