import type { DrawnStep, Finding, ReadResult, Workflow } from '../../core/flows/files/index.js'
import { visible } from '../table/cells.js'

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
  const { drawingOf: stepsOf, mermaidOf, treeOf } = await import('../../core/flows/files/index.js')
  const steps = stepsOf(workflow.graph)
  return {
    steps,
    tree: (width) => treeOf(steps, Math.max(NARROWEST, width)).split('\n').map(visible),
    mermaid: () => mermaidOf(steps),
  }
}

/** Reads a workflow of the daemon; a draft may be one that cannot be drawn. */
export async function workflowOf(document: DrawableDocument): Promise<ReadResult<Workflow>> {
  const { readWorkflow } = await import('../../core/flows/files/index.js')
  const { name, description, nodes, edges } = document
  return readWorkflow(JSON.stringify({ id: 'workflow', name, description, nodes, edges }), 'workflow.json')
}

/** Returns the findings of a check, a line each. */
export async function findingLines(findings: readonly Finding[]): Promise<readonly string[]> {
  const { findingText } = await import('../../core/flows/files/index.js')
  return findings.map((finding) => visible(findingText(finding)))
}
