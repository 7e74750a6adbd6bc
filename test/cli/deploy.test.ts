import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ROOT } from '../../scripts/docs/documents.js'
import { CONFIG_KEYS } from '../../src/core/config/index.js'

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '')
const byDefault = (key: string) => CONFIG_KEYS.find((one) => one.key === key)?.default

it('the container file copies only what the repository or its first stage has', () => {
  const lines = all(read('deploy/Containerfile'), /^COPY (.+)$/gm)
  const fromRepository = lines.filter((line) => !line.startsWith('--from'))
  const sources = fromRepository.flatMap((line) => line.split(' ').slice(0, -1))
  expect(sources).toContain('src')
  expect(sources.filter((source) => !existsSync(join(ROOT, source)))).toEqual([])
})

it('the image has every folder of the package that the program reads', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] }
  const copied = all(read('deploy/Containerfile'), /^COPY (?:--from=build )?\S*?(\w+) \w+$/gm)
  for (const folder of ['bin', 'dist', 'docs', 'flows']) {
    expect(files).toContain(folder)
    expect(copied).toContain(folder)
  }
})

it('the image has a version of Node that the package accepts', () => {
  const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
  const least = /^>=(\d+)/.exec(engines.node)?.[1]
  const versions = all(read('deploy/Containerfile'), /^ARG \w+=\S+node:(\d+)-/gm)
  expect(versions.length).toBe(2)
  for (const version of versions) expect(Number(version)).toBeGreaterThanOrEqual(Number(least))
})

it('proxies and the image use the default ports', () => {
  expect(all(read('deploy/Caddyfile'), /reverse_proxy 127\.0\.0\.1:(\d+)/g)).toEqual([byDefault('SVC_PORT')])
  expect(all(read('deploy/nginx.conf'), /proxy_pass http:\/\/127\.0\.0\.1:(\d+)/g)).toEqual([
    byDefault('SVC_PORT'),
  ])
  expect(all(read('deploy/Containerfile'), /^EXPOSE (.+)$/gm)).toEqual([
    `${byDefault('SVC_PORT')} ${byDefault('SVC_WS_PORT')}`,
  ])
})

it('the release workflow builds the image as its file says, and runs what the repository has', () => {
  const workflow = read('deploy/release.yml')
  expect(all(workflow, /^ {12}([A-Z]+)=\$/gm)).toEqual(all(read('deploy/Containerfile'), /^ARG (\w+)=/gm))
  for (const file of ['.ci/run', 'scripts/try-install.sh', 'deploy/Containerfile']) {
    expect(workflow).toContain(file)
    expect(existsSync(join(ROOT, file))).toBe(true)
  }
})

it('the units start the command where the package and a checkout have it', () => {
  for (const unit of ['svc.service', 'svc@.service']) {
    expect(all(read(`deploy/${unit}`), /^ExecStart=(.+)$/gm)).toEqual(['/opt/svc/bin/svc up'])
  }
  const page = read('docs/deployment.md')
  expect(page).toContain('npm install --global --prefix /opt/svc ./svc-desk-')
  expect(page).toContain('/opt/svc/lib/node_modules/svc-desk/deploy/svc.service')
})

it('the units wait until the daemon says that it is ready, and leave it no right of root', () => {
  for (const unit of ['svc.service', 'svc@.service']) {
    const lines = read(`deploy/${unit}`).split('\n')
    for (const line of [
      'Type=notify',
      'NotifyAccess=all',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'UMask=0077',
    ])
      expect(lines).toContain(line)
  }
})

it('the Compose file and the Quadlet run the image alike: on loopback, with its volume, and without rights', () => {
  const home = all(read('deploy/Containerfile'), /^VOLUME (.+)$/gm)[0]
  const port = byDefault('SVC_PORT')
  const { services } = parse(read('deploy/compose.yaml')) as { services: Record<string, object> }
  expect(services.svc).toMatchObject({
    ports: [`127.0.0.1:${port}:${port}`],
    volumes: [`home:${home}`],
    restart: 'on-failure',
    stop_grace_period: '15s',
    ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
  })
  const quadlet = read('deploy/svc.container').split('\n')
  for (const line of [
    `PublishPort=127.0.0.1:${port}:${port}`,
    `Volume=svc-home:${home}`,
    'Restart=on-failure',
    'TimeoutStopSec=15',
    ...['ReadOnly=true', 'DropCapability=ALL', 'NoNewPrivileges=true'],
  ])
    expect(quadlet).toContain(line)
})

it('no page installs a package or an image that is not published yet', () => {
  // Once a version is released, its name in the registry takes the place of the file.
  expect(read('CHANGELOG.md')).toMatch(/^## \d+\.\d+\.\d+ \(unreleased\)$/m)
  const pages = [
    'README.md',
    ...readdirSync(join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ]
  const asks = pages.flatMap((page) =>
    all(read(page), /((?:npm (?:i|install|view)|npx|podman run|docker run)\b[^\n`]*)/g)
      .filter((line) => /(?<!\/)svc-desk|ghcr\.io/.test(line))
      // Who goes back to a former version by hand has installed it once.
      .filter((line) => !line.endsWith('svc-desk@FORMER'))
      .map((line) => `${page}: ${line}`),
  )
  expect(asks).toEqual([])
})
