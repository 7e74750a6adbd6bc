'use strict'
/* Loaded before a program (`node --require`): writes its processor time in milliseconds to CPU_LOG as it ends. */
const { writeFileSync } = require('node:fs')
const { isMainThread } = require('node:worker_threads')

// A worker loads this file too; its time is in that of the process.
if (isMainThread)
  process.on('exit', () => {
    const { system, user } = process.cpuUsage()
    writeFileSync(process.env.CPU_LOG, String((system + user) / 1000))
  })
