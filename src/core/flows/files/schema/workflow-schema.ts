import { NODES } from '../../nodes/index.js'
import type { NodeTable } from '../read/readable.js'
import { configurationSchema, type JsonSchema } from './field-schema.js'

const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

/**
 * The JSON Schema of workflow files, both forms, derived from the table of node types: editors complete types,
 * fields and choices with it, and show what is missing.
 */
export function workflowSchema(table: NodeTable = NODES): JsonSchema {
  const definitions = Object.values(table)
  return {
    $schema: DRAFT,
    title: 'Workflow',
    description: 'A workflow of svc: nodes by id with yes, no and next, or the graph with nodes and edges.',
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
      orderedLinks: links({ to: nodeId, on: { enum: ['yes', 'no'] }, input }),
      ...Object.fromEntries(definitions.map((one) => [`with.${one.type}`, configurationSchema(one)])),
    },
  }
}

const nodeId: JsonSchema = { type: ['string', 'integer'], description: 'Id of a node.' }
const input: JsonSchema = { type: 'integer', minimum: 0, description: 'Input slot of a gate.' }
const name: JsonSchema = { type: 'string', minLength: 1, description: 'Name of the workflow.' }
const description: JsonSchema = { type: ['string', 'null'], description: 'What it is for.' }
const label: JsonSchema = { type: 'string', description: 'What editors show instead of the id.' }

function readable(): JsonSchema {
  return {
    type: 'object',
    properties: {
      id: {
        type: 'string',
        pattern: '^[a-z0-9][a-z0-9-]{0,99}$',
        description: 'Identity for apply; the name of the file where it is left out.',
      },
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
      label,
      with: { type: 'object', description: 'Configuration of the node.' },
      yes: { $ref: '#/$defs/links', description: 'Followed when the condition holds.' },
      no: { $ref: '#/$defs/links', description: 'Followed when it does not.' },
      next: { $ref: '#/$defs/orderedLinks', description: 'Always followed, after yes and no.' },
      position,
    },
    required: ['type'],
    additionalProperties: false,
    allOf: byType(table, 'with'),
  }
}

const position: JsonSchema = {
  type: 'object',
  description: 'Place on the canvas of an editor; laid out where it is left out.',
  properties: { x: { type: 'number' }, y: { type: 'number' } },
  required: ['x', 'y'],
}

/** The configuration each type has; it may only be left out where nothing in it is needed. */
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
  return { description: 'What the node does.', oneOf: families }
}

function links(properties: JsonSchema): JsonSchema {
  const link = { type: 'object', properties, required: ['to'], additionalProperties: false }
  return { anyOf: [nodeId, { type: 'array', items: { anyOf: [nodeId, link] } }] }
}

function graph(): JsonSchema {
  return {
    type: 'object',
    properties: {
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
      source: { type: 'string', description: 'Id of the node it leaves.' },
      target: { type: 'string', description: 'Id of the node it leads to.' },
      sourceHandle: { enum: ['yes', 'no', 'true', 'false', '', null], description: 'Side of a condition.' },
      targetHandle: { type: ['string', 'null'], description: 'input-<n> of a gate.' },
    },
    required: ['id', 'source', 'target'],
  }
}
