import assert from 'node:assert/strict'
import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { until } from '../../demo/processes.ts'
import { ownPorts } from '../own-ports.ts'
import { endProcess } from './end-process.ts'
import { endedBy, type Heard, startLocal, untilTold } from './local-start.ts'
import { scratchDirectory } from './scratch.ts'

const directory = scratchDirectory()
const started: ChildProcess[] = []

function start(environment: Readonly<Record<string, string>>): Heard {
  const one = startLocal(directory, environment)
  started.push(one.child)
  return one
}

async function running(
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Heard> {
  const one = start({ COUNTERSIGN_DIRECTORY: join(directory, name), ...environment })
  await untilTold(one, 'Ctrl-C stops it')
  return one
}

/** The commands that are printed, without the prose between them. */
function commandsIn(told: string): readonly string[] {
  const [, guide = ''] = told.split('in one shell.')
  return [...guide.matchAll(/(?:^ {2}.*\n)+/gm)].map(([command]) => command)
}

/** How many cases wait, as the reviewer of the welcome is shown them. */
function waiting(told: string): unknown {
  const login = commandsIn(told).find((command) => command.includes('/v1/auth/login')) ?? ''
  const [list = ''] = login.trim().split('/v1/auth/login')
  const cookies = / -c (\S+)/.exec(login)?.[1] ?? ''
  const input = `${login}\n${list}/v1/review-cases?state=open -b ${cookies}`
  const ran = spawnSync('sh', ['-eu'], { input, encoding: 'utf8' })
  assert.equal(ran.status, 0, ran.stderr + ran.stdout)
  return lastLine(ran.stdout).totalCount
}

function lastLine(text: string): Readonly<Record<string, string>> {
  return JSON.parse(text.trim().split('\n').at(-1) ?? '')
}

const noCurl = spawnSync('curl', ['--version']).error ? 'no curl on this machine' : false

describe('npm start', { skip: process.platform === 'win32' ? 'no sh' : false }, () => {
  after(() => Promise.all(started.map(endProcess)))

  it('runs in two directories at once, and what it prints leads to a decision', {
    skip: noCurl,
  }, async () => {
    const both = await Promise.all([running('one'), running("it's two")])
    for (const one of both) {
      const commands = commandsIn(one.told())
      assert.equal(commands.length, 5, one.told())
      const [last = ''] = commands.slice(-1)
      const script = commands.slice(0, -1).join('\n')
      const ran = spawnSync('sh', ['-eu'], { input: script, encoding: 'utf8' })
      assert.equal(ran.status, 0, ran.stderr + ran.stdout)
      const decided = lastLine(ran.stdout)
      assert.deepEqual([decided.state, decided.decision], ['decided', 'approved'])
      await until('the receiver to resume the work', 10_000, async () => {
        const seen = spawnSync('sh', ['-eu'], { input: last, encoding: 'utf8' })
        return seen.status === 0 && seen.stdout.includes(String(decided.reviewCaseId))
      })
    }
    const [first] = both
    const port = /receiver +https:\/\/localhost:(\d+)/.exec(first?.told() ?? '')?.[1] ?? ''
    const third = {
      COUNTERSIGN_DIRECTORY: join(directory, 'three'),
      COUNTERSIGN_RECEIVER_PORT: port,
    }
    const refused = start(third)
    const [code] = (await once(refused.child, 'exit')) as [number | null]
    assert.equal(code, 2)
    assert.match(
      refused.complaint(),
      new RegExp(`COUNTERSIGN_RECEIVER_PORT: port ${port} on 127.0.0.1 is taken`),
    )
    assert.deepEqual(await Promise.all(both.map((one) => endedBy(one, 'SIGHUP'))), [0, 0])

    // Other ports than before: the receiver is found again.
    const again = await running('one')
    assert.equal(waiting(again.told()), 1)
    const commands = commandsIn(again.told())
    const script = commands.slice(0, -1).join('\n').replace('"before-payment"', '"again"')
    const ran = spawnSync('sh', ['-eu'], { input: script, encoding: 'utf8' })
    assert.equal(ran.status, 0, ran.stderr + ran.stdout)
    const { reviewCaseId } = lastLine(ran.stdout)
    const log = join(directory, 'one', 'receiver.log')
    await until(
      'the receiver to hear of it',
      10_000,
      async () =>
        readFileSync(log, 'utf8').includes(`{"case":"${reviewCaseId}"`) ||
        readFileSync(log, 'utf8').includes(`"case":"${reviewCaseId}","resume":true`),
    )
    assert.equal(await endedBy(again, 'SIGTERM'), 0)
  })

  it('starts again where it was killed, on the same ports, and leaves nothing for git', {
    skip: spawnSync('git', ['--version']).error ? 'no git on this machine' : false,
  }, async () => {
    const repository = join(directory, 'repository')
    mkdirSync(repository)
    assert.equal(spawnSync('git', ['init', '-q'], { cwd: repository }).status, 0)
    const [port = 0] = await ownPorts(1)
    const environment = { COUNTERSIGN_RECEIVER_PORT: String(port) }
    const killed = await running('repository/data', environment)
    assert.equal(await endedBy(killed, 'SIGKILL'), null)
    const again = await running('repository/data', environment)
    const seen = spawnSync('git', ['status', '--porcelain', '-uall'], {
      cwd: repository,
      encoding: 'utf8',
    })
    assert.deepEqual([seen.status, seen.stdout], [0, ''])
    assert.equal(await endedBy(again, 'SIGTERM'), 0)
  })

  it('tells at once what is wrong with its directory', async () => {
    const file = join(directory, 'file')
    writeFileSync(file, '')
    const locked = join(directory, 'locked')
    mkdirSync(locked, { mode: 0o500 })
    const odd = [
      ['', /COUNTERSIGN_DIRECTORY: expected the path of a directory, got ""/],
      [file, /COUNTERSIGN_DIRECTORY: expected a directory, but .*file is none/],
      [join(file, 'below'), /COUNTERSIGN_DIRECTORY: expected a directory, but .*file is none/],
      ['/dev/null', /COUNTERSIGN_DIRECTORY: expected a directory, but \/dev\/null is none/],
      ...(process.platform === 'linux'
        ? [
            [
              '/proc/countersign/below',
              /COUNTERSIGN_DIRECTORY: expected a directory that files can be made in/,
            ] as const,
          ]
        : []),
      // Root may write everywhere.
      ...(process.getuid?.() === 0
        ? []
        : [
            [
              locked,
              /COUNTERSIGN_DIRECTORY: expected a directory that files can be made in/,
            ] as const,
          ]),
    ] as const
    const ends = odd.map(async ([given, expected]) => {
      const one = start({ COUNTERSIGN_DIRECTORY: given })
      const [code] = (await once(one.child, 'exit')) as [number | null]
      assert.equal(code, 2, given)
      assert.match(one.complaint(), expected)
      assert.doesNotMatch(one.complaint(), /\n {4}at /)
    })
    await Promise.all(ends)
  })
})
