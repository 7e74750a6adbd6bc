import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { Files, flow } from '../../../support/files/kept-files.js'

/** A workflow with three versions, and a file with a fourth content and a new id. */
async function versions() {
  const desk = await CliDesk.open()
  const files = new Files()
  for (const message of ['one', 'two', 'three']) {
    await desk.svc(`flow apply ${files.write('note.yaml', flow(message, 'note'))}`)
  }
  const text = flow('four', 'memo').replace('nodes:', 'moved: note\nnodes:')
  return {
    desk,
    files,
    file: files.write(
      'memo.yaml',
      `${text}  end:\n    type: log\n    with: {message: end}\n`.replace(
        'type: log\n',
        'type: log\n    next: end\n',
      ),
    ),
  }
}

const changed = (before: string, after: string) => `~ say\n    ~ message: "${before}" -> "${after}"\n`

test('two versions, a version and the current one, and the last change', async () => {
  const { desk } = await versions()
  expect(await desk.svc('flow diff note@1 note@3')).toMatchObject({
    exit: 9,
    stdout: `--- note@1\n+++ note@3\n${changed('one', 'three')}`,
    stderr: 'Nodes: 0 added, 0 removed, 1 changed. Edges: 0 added, 0 removed.\n',
  })
  expect((await desk.svc('flow diff note@1')).stdout).toBe(`--- note@1\n+++ note\n${changed('one', 'three')}`)
  expect((await desk.svc('flow diff note')).stdout).toBe(`--- note@2\n+++ note@3\n${changed('two', 'three')}`)
  expect(await desk.svc('flow diff note@3')).toMatchObject({
    exit: 0,
    stdout: '',
    stderr: 'No differences.\n',
  })
  expect(await desk.svc('flow diff note@9')).toMatchObject({ exit: 4 })
  expect(await desk.svc('flow diff nothing')).toMatchObject({ exit: 4 })
})

test('a file and the workflow that it would change, also one with an earlier id', async () => {
  const { desk, file, files } = await versions()
  expect(await desk.svc(`flow diff ${file}`)).toMatchObject({
    exit: 9,
    stdout:
      `--- note@3\n+++ ${file}\n~ say\n    ~ message: "three" -> "four"\n    + next -> end\n` +
      '+ end (log)\n    + message: "end"\n',
    stderr: 'Nodes: 1 added, 0 removed, 1 changed. Edges: 1 added, 0 removed.\n',
  })
  const other = files.write('other.yaml', flow('x', 'other'))
  expect(await desk.svc(`flow diff ${other}`)).toMatchObject({
    exit: 4,
    stderr: expect.stringContaining('The daemon has no workflow "other" yet.'),
  })
})

test('two files, and documents with every member in every row', async () => {
  const { desk, file, files } = await versions()
  const note = `${files.folder}/note.yaml`
  const { exit, stdout } = await desk.svc(`flow diff ${file} ${note} --json`)
  expect([exit, JSON.parse(stdout)]).toEqual([
    9,
    [
      {
        kind: 'removed',
        of: 'node',
        node: 'end',
        field: null,
        to: null,
        before: { type: 'log', with: { message: 'end' } },
        after: null,
      },
      {
        kind: 'changed',
        of: 'field',
        node: 'say',
        field: 'with.message',
        to: null,
        before: 'four',
        after: 'three',
      },
      { kind: 'removed', of: 'edge', node: 'say', field: 'next', to: 'end', before: null, after: null },
    ],
  ])
  expect(await desk.svc(`flow diff ${note} ${note} --json`)).toMatchObject({ exit: 0, stdout: '[]\n' })
})

test('colours come with the signs', async () => {
  const { desk } = await versions()
  const { stdout } = await desk.svc('flow diff note', { env: { FORCE_COLOR: '1' } })
  expect(stdout).toContain('\u001b[33m    ~ message: "two" -> "three"\u001b[39m\n')
})

test('a workflow whose name is like a version is meant by its name, and ids decide between the two', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  for (const message of ['one', 'two', 'three']) {
    const text = flow(message, 'own').replace('name: Note', 'name: alpha@3')
    await desk.svc(`flow apply ${files.write('alpha@3.yaml', text)}`)
  }
  expect(await desk.svc('flow diff alpha@3')).toMatchObject({
    exit: 9,
    stdout: expect.stringContaining('alpha@3@2'),
  })
  expect(await desk.svc('flow diff alpha@3@1 alpha@3@3')).toMatchObject({
    exit: 9,
    stdout: expect.stringContaining(changed('one', 'three')),
  })
  expect(await desk.svc(`flow diff ${files.folder}/alpha@3.yaml`)).toMatchObject({ exit: 0 })

  await desk.svc(`flow apply ${files.write('alpha.yaml', flow('other', 'alpha'))}`)
  expect(await desk.svc('flow diff alpha@3')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('Give the id: 1 for the workflow, 2@3 for the version.'),
  })
  expect(await desk.svc('flow diff 1 alpha')).toMatchObject({ exit: 9 })
})
