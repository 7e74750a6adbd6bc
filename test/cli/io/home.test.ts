import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requireHome } from '../../../src/cli/io/home.js'
import { tempDir } from '../../support/files/temp.js'

/** A folder with these entries; a name that ends in a slash is a folder. */
function folderWith(...names: readonly string[]): string {
  const folder = tempDir()
  for (const name of names) {
    if (name.endsWith('/')) mkdirSync(join(folder, name))
    else writeFileSync(join(folder, name), '')
  }
  return folder
}

describe('a home', () => {
  it.each([
    ['a folder that does not exist', () => join(tempDir(), 'new')],
    ['an empty folder', () => folderWith()],
    ['the root of a file system', () => folderWith('lost+found/')],
    ['a folder with a configuration', () => folderWith('config.env', 'notes.txt')],
    ['a folder that had a daemon', () => folderWith('svc.db', 'svc.db-wal', 'log/')],
    ['a folder with the log of a first start', () => folderWith('log/')],
    ['a folder of a terminal that has signed in', () => folderWith('session.json')],
  ])('is %s', (_name, folder) => {
    expect(() => requireHome(folder())).not.toThrow()
  })

  it.each([
    ['a repository', () => folderWith('.git/', 'package.json'), '.git'],
    ['the home of a user', () => folderWith('.bashrc'), '.bashrc'],
    ['a folder with the log of another program', () => folderWith('log/', 'Gemfile'), 'Gemfile'],
  ])('is not %s', (_name, folderOf, file) => {
    const folder = folderOf()
    expect(() => requireHome(folder)).toThrow(`${folder} has files of something else (${file})`)
  })
})
