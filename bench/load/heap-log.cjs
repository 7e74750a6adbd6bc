'use strict'
/*
 * Loaded before a program (`node --require`): appends the bytes of its live objects to HEAP_LOG every few seconds, each
 * time after a whole garbage collection. The memory of the process says less: it keeps what it once needed.
 */
const { appendFileSync } = require('node:fs')
const { setFlagsFromString } = require('node:v8')
const { runInNewContext } = require('node:vm')
const { isMainThread } = require('node:worker_threads')

const EVERY_MS = 5000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

function log() {
  collect()
  appendFileSync(process.env.HEAP_LOG, `${process.memoryUsage().heapUsed}\n`)
}

// A worker has objects of its own, and loads this file too.
if (isMainThread) setInterval(log, EVERY_MS).unref()
