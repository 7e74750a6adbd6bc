/**
 * The same graph as a Node-RED flow, in a process of its own: messages a second through ten nodes, nothing stored.
 * Arguments: the folder Node-RED is installed in, a user folder, messages under way at a time, seconds.
 */
const { createRequire } = require('node:module')
const { createServer } = require('node:http')
const { join } = require('node:path')

const [, , folder, userDir, width, seconds] = process.argv
const RED = createRequire(join(folder, 'package.json'))('node-red')

const rule = (id, property, operator, value, wire) => ({
  id,
  type: 'switch',
  z: 'tab',
  property,
  propertyType: 'msg',
  rules: [{ t: operator, v: value, vt: 'num' }],
  checkall: 'true',
  outputs: 1,
  wires: [[wire]],
})
const code = (id, func, wire) => ({
  id,
  type: 'function',
  z: 'tab',
  name: '',
  func,
  outputs: 1,
  initialize: '',
  finalize: '',
  libs: [],
  wires: wire ? [[wire]] : [],
})
const FLOW = [
  { id: 'tab', type: 'tab', label: 'bench' },
  code('start', 'return msg', 'price'),
  code('price', 'msg.price = 812.5; return msg', 'limit'),
  code('limit', 'msg.limit = 800; return msg', 'move'),
  code('move', 'msg.move = (msg.price - msg.limit) / msg.limit * 100; return msg', 'above'),
  rule('above', 'price', 'gt', '800', 'small'),
  rule('small', 'move', 'lt', '5', 'both'),
  code('both', 'return msg', 'count'),
  code('count', 'msg.count = (msg.count || 0) + 1; return msg', 'double'),
  code('double', 'msg.double = msg.count * 2; return msg', 'say'),
  code('say', 'msg.text = "moved " + msg.move + " %, " + msg.double + " times"; msg.done(); return null'),
]

async function main() {
  const server = createServer()
  RED.init(server, {
    httpAdminRoot: false,
    httpNodeRoot: false,
    userDir,
    flowFile: 'flows.json',
    credentialSecret: false,
    logging: { console: { level: 'off' } },
    contextStorage: { default: { module: 'memory' } },
  })
  await RED.start()
  await RED.runtime.flows.setFlows({ flows: { flows: FLOW }, deploymentType: 'full' })
  const first = await ready()
  let count = 0
  const send = () =>
    first.receive({
      done: () => {
        count += 1
        setImmediate(send)
      },
    })
  for (let one = 0; one < Number(width); one++) send()
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const [before, startedAt] = [count, performance.now()]
  await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000))
  const perSecond = ((count - before) * 1000) / (performance.now() - startedAt)
  process.stdout.write(`${JSON.stringify({ perSecond, version: RED.version() })}\n`, () => process.exit(0))
}

/** Flows start a moment after they are set. */
async function ready() {
  for (;;) {
    const node = RED.nodes.getNode('start')
    if (node) return node
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`, () => process.exit(1))
})
