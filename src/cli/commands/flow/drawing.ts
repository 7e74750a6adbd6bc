import type { DrawnStep, Workflow } from '../../../core/flows/files/index.js'
import { visible } from '../../output/tables/cells.js'
import { unreadable } from './files/load.js'

/** The part of a workflow that can be drawn, as the daemon returns it. */
export interface DrawableDocument {
  name: string
  description: string | null
  nodes: readonly object[]
  edges: readonly object[]
}

/** The steps of a workflow, and the pictures of them. */
export interface Drawing {
  steps: readonly DrawnStep[]
  /** Returns the lines of the tree, each at most so wide. */
  tree(width: number): readonly string[]
  mermaid(): string
}

const NARROWEST = 40

export async function drawingOf(workflow: Workflow): Promise<Drawing> {
  const { drawingOf: stepsOf, mermaidOf, treeOf } = await import('../../../core/flows/files/index.js')
  const steps = stepsOf(workflow.graph)
  return {
    steps,
    tree: (width) => treeOf(steps, Math.max(NARROWEST, width)).split('\n').map(visible),
    mermaid: () => mermaidOf(steps),
  }
}

/** Reads a workflow of the daemon. @throws CliError with the reasons why it cannot be drawn */
export async function workflowOf({ name, description, nodes, edges }: DrawableDocument): Promise<Workflow> {
  return parsedWorkflow(JSON.stringify({ id: 'workflow', name, description, nodes, edges }), 'workflow.json')
}

/** @throws CliError with all findings */
export async function parsedWorkflow(text: string, file: string): Promise<Workflow> {
  const { readWorkflow } = await import('../../../core/flows/files/index.js')
  const read = readWorkflow(text, file)
  if (read.ok) return read.value
  throw await unreadable(read.findings)
}
