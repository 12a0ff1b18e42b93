import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { portablePrimitives } from '@countersign/core/signing'
import { add, emptyTally, type Failure, type Task } from './campaign.ts'
import { inThreads } from './pool.ts'
import { replayCommand, replayed } from './replay.ts'
import { run } from './run.ts'
import { shrink } from './shrink.ts'

const usage = `usage: simulate [--seeds N] [--from SEED] [--scenarios N] [--threads N] [--json]
       simulate --seed SEED [--sessions | --organizations] [--scenario] [--crash K,K…] [--commands I,I…] [--disturbances I,I…]
                [--rates NAME,…] [--signing portable]

Runs the service on a store, a network and a clock of its own making. Each seed draws a plan and a swarm of faults;
besides, one short scenario for 80 seeds, unless told otherwise, is crashed at each of its storage points in turn. Every
third seed, and every fourth scenario, is one of sessions too (--sessions repeats one), and as many are of what happens
to an organization (--organizations). A failure is shrunk, and told with the command that repeats it.

Exit status: 0 all as promised, 1 something failed, 2 wrong arguments.`

const linesShown = 120
/** A scenario is run once for each of its hundred storage points. */
const seedsAScenario = 80
/** Sessions and organizations have ten times the storage points of cases. */
const scenariosALong = 4
const seedsALong = 3
const propertiesExplained = 3
const long = ['sessions', 'organizations'] as const

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${usage}\n`)
  process.exit(2)
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < least)
    fail(`--${name}: expected an integer of at least ${least}, got ${JSON.stringify(text)}`)
  return value
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        seeds: { type: 'string', default: '1000' },
        from: { type: 'string', default: '1' },
        scenarios: { type: 'string' },
        threads: { type: 'string' },
        json: { type: 'boolean', default: false },
        seed: { type: 'string' },
        scenario: { type: 'boolean' },
        sessions: { type: 'boolean' },
        organizations: { type: 'boolean' },
        crash: { type: 'string' },
        commands: { type: 'string' },
        disturbances: { type: 'string' },
        rates: { type: 'string' },
        signing: { type: 'string', default: 'quick' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

const flags = readFlags()
if (flags.help) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
if (!['quick', 'portable'].includes(flags.signing))
  fail(`--signing: expected quick or portable, got ${JSON.stringify(flags.signing)}`)

if (flags.seed === undefined) await campaign()
else await replay(flags.seed)

async function replay(seed: string): Promise<void> {
  wholeNumber('seed', seed, 0)
  const plan = replayed({ ...flags, seed } as Parameters<typeof replayed>[0])
  const primitives = flags.signing === 'portable' ? { primitives: portablePrimitives } : {}
  const result = await run(plan, { keepLog: true, ...primitives })
  process.stdout.write(`${result.log.join('\n')}\n`)
  process.exitCode = result.violations.length > 0 ? 1 : 0
}

function* tasks(from: number, seeds: number, scenarios: number): Iterable<Task> {
  // What takes longest comes first.
  for (let at = 0; at < scenarios; at += scenariosALong)
    for (const of of long) yield { of, kind: 'scenario', seed: from + at }
  for (let at = 0; at < scenarios; at++) yield { of: 'cases', kind: 'scenario', seed: from + at }
  for (let at = 0; at < seeds; at++) {
    yield { of: 'cases', kind: 'swarm', seed: from + at }
    if (at % seedsALong === 0) for (const of of long) yield { of, kind: 'swarm', seed: from + at }
  }
}

async function campaign(): Promise<void> {
  const seeds = wholeNumber('seeds', flags.seeds, 1)
  const from = wholeNumber('from', flags.from, 0)
  const scenarios = wholeNumber(
    'scenarios',
    flags.scenarios ?? `${Math.max(1, Math.ceil(seeds / seedsAScenario))}`,
    0,
  )
  const threads = wholeNumber(
    'threads',
    flags.threads ?? `${Math.min(2, availableParallelism())}`,
    1,
  )
  const total = emptyTally()
  const failures: Failure[] = []
  const started = performance.now()
  const all = [...tasks(from, seeds, scenarios)]
  let finished = 0
  let toldAt = 0
  await inThreads(all, threads, (done) => {
    add(total, done.tally)
    failures.push(...done.failures)
    finished++
    const seconds = (performance.now() - started) / 1_000
    if (seconds - toldAt >= 5) {
      toldAt = seconds
      const { runs, crashPoints } = total
      process.stderr.write(
        `${Math.round(seconds)} s: ${finished} of ${all.length} seeds, ${runs} runs, ${crashPoints} crashes, ${failures.length} failures\n`,
      )
    }
    return failures.length < 10
  })
  const explained = new Set<string | undefined>()
  for (const failure of failures) {
    const property = failure.result.violations[0]?.property
    if (explained.size < propertiesExplained && !explained.has(property)) await explain(failure)
    explained.add(property)
  }
  if (flags.json) process.stdout.write(`${JSON.stringify(total)}\n`)
  else
    process.stdout.write(
      `${Object.entries(total)
        .map(([name, count]) => `${name} ${count}`)
        .join(', ')}, ${Math.round((performance.now() - started) / 1_000)} s\n`,
    )
  process.exitCode = failures.length > 0 ? 1 : 0
}

async function explain({ task, plan, result }: Failure): Promise<void> {
  const [violation] = result.violations
  if (!violation) return
  const { property } = violation
  const told = (line: string) => process.stderr.write(`${line}\n`)
  told(`\nbroken: ${property}: ${violation.detail}\nshrinking …`)
  const smaller = await shrink(plan, property)
  const { log } = smaller.result
  told(log.slice(-linesShown).join('\n'))
  if (log.length > linesShown) told(`(the last ${linesShown} of ${log.length} lines)`)
  told(`\nrepeat it: ${replayCommand(task, smaller.kept)}\n`)
}
