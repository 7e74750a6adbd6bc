import { TAGS } from '../../src/daemon/operations/facts.js'
import { clientCalls } from '../client/calls.js'

/** Returns every call of the typed client with its types, under the heading of its area. */
export function clientCallsByArea(): string {
  const calls = clientCalls()
  return Object.keys(TAGS)
    .map((tag) => {
      const own = calls.filter((call) => call.tag === tag)
      return [`## ${tag}`, ...own.map(described)].join('\n\n')
    })
    .join('\n\n')
}

function described({ route, summary, request, answer }: ReturnType<typeof clientCalls>[number]): string {
  return `\`${route}\`: ${summary}\n\n\`\`\`ts\ntype Request = ${request}\ntype Answer = ${answer}\n\`\`\``
}
