import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { programFile, until } from '../../demo/processes.ts'

/** A process whose output is kept. */
export interface Heard {
  readonly child: ChildProcess
  readonly told: () => string
  readonly complaint: () => string
}

/** Starts a program of Node, with these settings alone. */
export function hear(
  args: readonly string[],
  options: { readonly cwd: string; readonly environment: Readonly<Record<string, string>> },
): Heard {
  let out = ''
  let err = ''
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: { PATH: process.env.PATH ?? '', ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk
  })
  return { child, told: () => out, complaint: () => err }
}

const freePorts = {
  COUNTERSIGN_INGEST_PORT: '0',
  COUNTERSIGN_PORTAL_PORT: '0',
  COUNTERSIGN_STAFF_PORT: '0',
  COUNTERSIGN_RECEIVER_PORT: '0',
  COUNTERSIGN_LOG_LEVEL: 'warn',
}

/** `npm start`, on free ports unless others are set. */
export function startLocal(cwd: string, environment: Readonly<Record<string, string>>): Heard {
  return hear([programFile('start')], { cwd, environment: { ...freePorts, ...environment } })
}

/** Resolves once the process has told this. */
export async function untilTold(one: Heard, text: string): Promise<void> {
  await until(text, 60_000, async () => {
    assert.equal(one.child.exitCode, null, one.complaint())
    return one.told().includes(text)
  })
}

/** Ends a process by a signal, and resolves once all that it told is here; its exit code. */
export async function endedBy({ child }: Heard, signal: NodeJS.Signals): Promise<number | null> {
  const closed = once(child, 'close')
  child.kill(signal)
  const [code] = (await closed) as [number | null]
  return code
}
