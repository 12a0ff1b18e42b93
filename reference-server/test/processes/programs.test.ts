import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { StoreError } from '@countersign/core/ports'
import { settings } from '../../config.ts'
import { programFile } from '../../demo/processes.ts'
import { explain } from '../../program-end.ts'
import { scratchDirectory } from './scratch.ts'

const home = fileURLToPath(new URL('../../../..', import.meta.url))

const programs: Readonly<Record<string, string>> = {
  'npm start': programFile('start'),
  serve: programFile('serve'),
  countersign: join(home, 'reference-server/countersign.mjs'),
  demo: join(home, 'reference-server/dist/demo.js'),
  bench: join(home, 'reference-server/dist/bench/main.js'),
  'countersign-conformance': join(home, 'conformance/cli.mjs'),
  'countersign-conformance receiver': join(home, 'conformance/cli.mjs'),
  'countersign-verify': join(home, 'adapters/documents/verify.mjs'),
  simulate: join(home, 'conformance/dist/simulator/main.js'),
  mutants: join(home, 'conformance/dist/mutants/main.js'),
}

/** What every program of a deployment needs. */
const serverSettings = () => ({
  COUNTERSIGN_DATABASE: join(scratchDirectory(), 'a.sqlite'),
  COUNTERSIGN_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  COUNTERSIGN_SESSION_SECRET: Buffer.alloc(32, 2).toString('base64'),
  COUNTERSIGN_INGEST_URL: 'https://ingest.example.com',
  COUNTERSIGN_PORTAL_URL: 'https://portal.example.com',
})

const run = (file: string, args: readonly string[], environment: object = {}) =>
  runProgram(process.execPath, [file, ...args], environment)

async function runProgram(program: string, args: readonly string[], environment: object) {
  const [out, err]: [Buffer[], Buffer[]] = [[], []]
  const child = spawn(program, args, {
    cwd: scratchDirectory(),
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  const [status] = (await once(child, 'close')) as [number | null]
  return { status, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }
}

describe('every program', () => {
  for (const [name, file] of Object.entries(programs))
    it(`${name} tells its usage and exit statuses by --help, and ends with 2 for what it does not know`, async () => {
      const [, ...words] = name.startsWith('npm') ? [name] : name.split(' ')
      const [help, unknown] = await Promise.all([
        run(file, [...words, '--help']),
        run(file, [...words, '--no-such-flag']),
      ])
      assert.deepEqual([help.status, help.err], [0, ''])
      assert.match(help.out, /^usage: /i)
      assert.match(help.out, /exit status/i)
      assert.deepEqual([unknown.status, unknown.out], [2, ''])
      assert.match(unknown.err, /no-such-flag/)
      assert.doesNotMatch(unknown.err, /\n {4}at /)
    })

  const portSettings = Object.keys(settings.shape).filter((name) => name.endsWith('_PORT'))
  const anyPorts = {
    ...Object.fromEntries(portSettings.map((name) => [name, '0'])),
    COUNTERSIGN_LOG_LEVEL: 'silent',
  }
  const servers = {
    'npm start': () => ({
      ...anyPorts,
      COUNTERSIGN_DIRECTORY: scratchDirectory(),
      COUNTERSIGN_RECEIVER_PORT: '0',
    }),
    serve: () => ({
      ...anyPorts,
      ...serverSettings(),
      COUNTERSIGN_STAFF_TOKENS: `ann:${'0'.repeat(64)}`,
    }),
  }
  for (const [name, settingsOf] of Object.entries(servers))
    it(`${name} tells each taken port by its setting, without a trace`, async () => {
      const taker = createServer().listen(0, '127.0.0.1')
      await once(taker, 'listening')
      const { port } = taker.address() as AddressInfo
      // The start hands all but its own to the server.
      const names = name === 'serve' ? portSettings : ['COUNTERSIGN_RECEIVER_PORT', portSettings[0]]
      const ends = await Promise.all(
        names.map(async (setting = '') => {
          const environment = { ...settingsOf(), [setting]: String(port) }
          return { setting, ...(await run(programs[name] ?? '', [], environment)) }
        }),
      )
      taker.close()
      for (const { setting, status, out, err } of ends) {
        assert.deepEqual([status, out], [2, ''], err)
        assert.match(err, new RegExp(`${setting}: port ${port} on 127.0.0.1 is taken`))
        assert.doesNotMatch(err, /\n {4}at /)
      }
    })

  it('tells a wrong setting by its name, without a trace', async () => {
    for (const [wrong, expected] of [
      [{ COUNTERSIGN_NO_SUCH: '1' }, /COUNTERSIGN_NO_SUCH/],
      [{ COUNTERSIGN_INGEST_PORT: 'x' }, /COUNTERSIGN_INGEST_PORT: .*got "x"/],
    ] as const) {
      const environment = { ...servers['npm start'](), ...wrong }
      const { status, out, err } = await run(programs['npm start'] ?? '', [], environment)
      assert.deepEqual([status, out], [2, ''], err)
      assert.match(err, expected)
      assert.doesNotMatch(err, /\n {4}at /)
    }
  })

  it('ends a start on a full disk with one line', {
    skip: process.platform === 'win32' && 'no ulimit',
  }, async () => {
    // Blocks of files, as sh counts them; the signal of a too large file would end the process before it is told.
    const blocks = [0, 8, 100]
    const ends = await Promise.all(
      blocks.map((most) =>
        runProgram(
          'sh',
          [
            ...['-c', `trap "" XFSZ; ulimit -f ${most}; exec "$0" "$1"`],
            ...[process.execPath, programs.serve ?? ''],
          ],
          { ...anyPorts, ...serverSettings() },
        ),
      ),
    )
    for (const { status, out, err } of ends) {
      assert.deepEqual([status, out], [1, ''], err)
      assert.match(err, /^countersign: .*\n$/)
    }
  })

  it('shows the trace of a bug alone', () => {
    const full = new StoreError('full', 'the disk, or the size allowed to the database, is full')
    assert.deepEqual(explain(full), { message: full.message, status: 1 })
    const gone = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
    assert.deepEqual(explain(gone), { message: gone.message, status: 1 })
    const bug = explain(new TypeError('x is not a function'))
    assert.equal(bug.status, 70)
    assert.match(bug.message, /\n {4}at /)
  })

  it('countersign --json has its result alone on standard output, whatever is logged', async () => {
    const { status, out, err } = await run(
      programs.countersign ?? '',
      ['init', '--name', 'Acme', '--email', 'ada@acme.example', '--json'],
      { ...serverSettings(), COUNTERSIGN_LOG_LEVEL: 'debug' },
    )
    assert.equal(status, 0, err)
    assert.equal(JSON.parse(out).ok, true)
    assert.match(err, /"service":"countersign"/)
  })
})
