import { z } from 'zod'

const LINKS = 'A node id, or a list of node ids and {to: id}.'
const ORDERED_LINKS = 'A node id, or a list of node ids and {to: id, on: yes|no|always}.'

/** A whole number becomes the text it was written as. */
const nodeId = z.union([z.string(), z.int().transform(String)], { error: 'A node id.' })
const input = z.int().min(0).optional()
const link = z.union([nodeId, z.strictObject({ to: nodeId, input })], { error: LINKS })
const orderedLink = z.union(
  [nodeId, z.strictObject({ to: nodeId, on: z.enum(['yes', 'no', 'always']).optional(), input })],
  { error: ORDERED_LINKS },
)
const links = z.union([nodeId, z.array(link)], { error: LINKS }).optional()
const orderedLinks = z.union([nodeId, z.array(orderedLink)], { error: ORDERED_LINKS }).optional()
const position = z.strictObject({ x: z.number(), y: z.number() })

const readableNode = z
  .strictObject({
    type: z.string().optional(),
    if: z.string().optional(),
    label: z.string().optional(),
    with: z.record(z.string(), z.unknown()).optional(),
    yes: links,
    no: links,
    always: links,
    next: orderedLinks,
    position: position.optional(),
  })
  .refine((node) => (node.type === undefined) !== (node.if === undefined), 'A node has a type or an if.')
  .refine((node) => node.if === undefined || node.with === undefined, 'An if has no with.')

const name = z.string().refine((text) => text.trim() !== '', 'A name.')
const description = z.string().nullish()
const moved = z.union([z.string(), z.array(z.string())], { error: 'An id, or a list of ids.' }).optional()

/** The readable form: nodes by id, edges as `yes`, `no`, `always` and `next`. */
export const readableWorkflow = z.strictObject({
  id: z.string().optional(),
  moved,
  name,
  description,
  nodes: z.record(z.string(), readableNode),
})

const handle = z.string().nullish()

/** The form that other systems export and import. Other members are ignored. */
export const graphWorkflow = z.looseObject({
  moved,
  name,
  description,
  nodes: z.array(
    z.looseObject({
      id: z.string(),
      type: z.string(),
      position: z.looseObject({ x: z.number(), y: z.number() }).optional(),
      data: z.record(z.string(), z.unknown()),
    }),
  ),
  edges: z.array(
    z.looseObject({
      id: z.string(),
      source: z.string(),
      target: z.string(),
      sourceHandle: handle,
      targetHandle: handle,
    }),
  ),
})
