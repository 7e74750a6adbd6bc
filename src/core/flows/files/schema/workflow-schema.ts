import { NODES } from '../../nodes/index.js'
import type { NodeTable } from '../read/readable.js'
import { configurationSchema, type JsonSchema } from './field-schema.js'

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

/**
 * Returns the JSON Schema of workflow files in both forms, derived from the table of node types. With it
 * editors complete types, fields and choices, and show missing fields.
 */
export function workflowSchema(table: NodeTable = NODES): JsonSchema {
  const definitions = Object.values(table)
  return {
    $schema: DRAFT,
    title: 'Workflow',
    description:
      'A workflow of svc: nodes by id with yes, no, always and next, or the graph with nodes and edges.',
    type: 'object',
    if: { properties: { nodes: { type: 'array' } }, required: ['nodes'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { $ref: '#/$defs/graph' },
    else: { $ref: '#/$defs/readable' },
    $defs: {
      readable: readable(),
      node: readableNode(table),
      graph: graph(),
      graphNode: graphNode(table),
      edge: edge(),
      nodeType: nodeType(table),
      links: links({ to: nodeId, input }),
      orderedLinks: links({ to: nodeId, on: { enum: ['yes', 'no', 'always'] }, input }),
      ...Object.fromEntries(definitions.map((one) => [`with.${one.type}`, configurationSchema(one)])),
    },
  }
}

const nodeId: JsonSchema = { type: ['string', 'integer'], description: 'Id of a node.' }
const input: JsonSchema = { type: 'integer', minimum: 0, description: 'Input slot of a gate.' }
const key: JsonSchema = { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,99}$' }
const moved: JsonSchema = {
  description: 'The ids that the file had before: apply gives what is stored under one of them the new id.',
  anyOf: [key, { type: 'array', items: key }],
}
const name: JsonSchema = { type: 'string', minLength: 1, description: 'Name of the workflow.' }
const description: JsonSchema = { type: ['string', 'null'], description: 'Purpose of the workflow.' }
const label: JsonSchema = { type: 'string', description: 'Text that editors show instead of the id.' }

function readable(): JsonSchema {
  return {
    type: 'object',
    properties: {
      id: { ...key, description: 'Identity for apply. Default: the file name.' },
      moved,
      name,
      description,
      nodes: {
        type: 'object',
        description: 'Nodes by id, the trigger first.',
        additionalProperties: { $ref: '#/$defs/node' },
      },
    },
    required: ['name', 'nodes'],
    additionalProperties: false,
  }
}

function readableNode(table: NodeTable): JsonSchema {
  return {
    type: 'object',
    properties: {
      type: { $ref: '#/$defs/nodeType' },
      if: condition,
      label,
      with: { type: 'object', description: 'Configuration of the node.' },
      yes: { $ref: '#/$defs/links', description: 'Nodes that follow if the condition holds.' },
      no: { $ref: '#/$defs/links', description: 'Nodes that follow if the condition does not hold.' },
      always: {
        $ref: '#/$defs/links',
        description: 'Nodes that follow a condition or a gate in any case, after yes and no.',
      },
      next: {
        $ref: '#/$defs/orderedLinks',
        description: 'Nodes that follow. After a condition or a gate, an order needs yes, no or always.',
      },
      position,
    },
    additionalProperties: false,
    oneOf: [{ required: ['type'] }, { required: ['if'], properties: { with: false } }],
    allOf: byType(table, 'with'),
  }
}

const condition: JsonSchema = {
  type: 'string',
  description: "A condition instead of a type: {{rsi.latest.value}} < 30 and {{state.status}} == 'open'.",
}

const position: JsonSchema = {
  type: 'object',
  description: 'Position on the canvas of an editor. Default: computed.',
  properties: { x: { type: 'number' }, y: { type: 'number' } },
  required: ['x', 'y'],
}

/**
 * Returns the configuration schema of each type. The configuration may be absent only if no field is
 * required.
 */
function byType(table: NodeTable, member: 'with' | 'data'): JsonSchema[] {
  return Object.values(table).map((definition) => {
    const needed = Object.values(definition.fields).some((field) => field.required)
    return {
      if: { properties: { type: { const: definition.type } }, required: ['type'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: {
        properties: { [member]: { $ref: `#/$defs/with.${definition.type}` } },
        ...(needed ? { required: [member] } : {}),
      },
    }
  })
}

function nodeType(table: NodeTable): JsonSchema {
  const families = Object.values(table).map(({ type, family, summary }) => ({
    const: type,
    description: `${family}: ${summary}`,
  }))
  return { description: 'Type of the node.', oneOf: families }
}

function links(properties: JsonSchema): JsonSchema {
  const link = { type: 'object', properties, required: ['to'], additionalProperties: false }
  return { anyOf: [nodeId, { type: 'array', items: { anyOf: [nodeId, link] } }] }
}

function graph(): JsonSchema {
  return {
    type: 'object',
    properties: {
      moved,
      name,
      description,
      nodes: { type: 'array', items: { $ref: '#/$defs/graphNode' } },
      edges: { type: 'array', items: { $ref: '#/$defs/edge' } },
    },
    required: ['name', 'nodes', 'edges'],
  }
}

function graphNode(table: NodeTable): JsonSchema {
  return {
    type: 'object',
    properties: {
      id: { type: 'string', minLength: 1 },
      type: { $ref: '#/$defs/nodeType' },
      position,
      data: { type: 'object' },
    },
    required: ['id', 'type', 'data'],
    allOf: byType(table, 'data'),
  }
}

function edge(): JsonSchema {
  return {
    type: 'object',
    properties: {
      id: { type: 'string', minLength: 1 },
      source: { type: 'string', description: 'Id of the source node.' },
      target: { type: 'string', description: 'Id of the target node.' },
      sourceHandle: { enum: ['yes', 'no', 'true', 'false', '', null], description: 'Branch of a condition.' },
      targetHandle: { type: ['string', 'null'], description: 'Input of a gate: input-<n>.' },
    },
    required: ['id', 'source', 'target'],
  }
}
