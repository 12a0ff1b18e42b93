import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Finding } from '@countersign/core/evidence'

/** Where the second verifier is. */
export const program = fileURLToPath(new URL('../../../../conformance/verifier', import.meta.url))

let lacks: string | false | undefined

/** Why the second verifier can't run on this machine; false where it can. */
export function isMissing(): string | false {
  lacks ??=
    spawnSync('python3', ['-c', 'import cryptography']).status === 0
      ? false
      : 'needs python3 with the package cryptography'
  return lacks
}

/** What a verifier says of a file, as far as two of them must agree. */
export interface Said {
  readonly verdict: string
  /** Results and checks of all that failed or was left open. */
  readonly open: string
  readonly witness: string
}

export function saidOf(verdict: string, witness: string, findings: readonly Finding[]): Said {
  const open = findings
    .filter(({ result }) => result === 'failed' || result === 'unchecked')
    .map(({ result, check }) => `${result} ${check}`)
  return { verdict, witness, open: [...new Set(open)].toSorted().join() }
}

interface Reports {
  /** Why nothing was verified. */
  readonly error?: string
  readonly files: readonly {
    readonly verdict: string
    readonly witness: string
    readonly findings: readonly Finding[]
  }[]
}

function saidIn(json: string): readonly Said[] {
  const { error, files } = JSON.parse(json) as Reports
  if (error !== undefined) throw new Error(`the second verifier refused: ${error}`)
  return files.map(({ verdict, witness, findings }) => saidOf(verdict, witness, findings))
}

/** Files that a verifier is given together: all have the same keys (a file), and are compared with the same. */
export interface Run {
  readonly files: readonly string[]
  readonly keys: string
  readonly known?: readonly string[]
  readonly tsa?: readonly string[]
}

function argumentsOf({ files, keys, known = [], tsa = [] }: Run): readonly string[] {
  const given = [
    ...known.flatMap((file) => ['--known', file]),
    ...tsa.flatMap((file) => ['--tsa', file]),
  ]
  return ['--json', '--keys', keys, ...given, ...files]
}

/** A process of the second verifier, which takes longer to start than to verify a pack. */
interface Second {
  said(run: Run): Promise<readonly Said[]>
  close(): void
}

function startSecond(from: string): Second {
  const child = spawn('python3', ['-B', from, '--runs'], { stdio: ['pipe', 'pipe', 'pipe'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const handles = [child, ...child.stdio.filter((stream) => stream instanceof Socket)]
  const ended = once(child, 'close')
  let complaint = ''
  child.stderr.on('data', (text) => {
    complaint += text
  })
  // Of one that died, the lines tell.
  child.stdin.on('error', () => {})
  let asked = 0
  /** A process that nobody asks anything keeps nobody's process from its end. */
  function hold(by: 1 | -1): void {
    asked += by
    for (const handle of handles) {
      if (asked > 0) handle.ref()
      else handle.unref()
    }
  }
  return {
    async said(run) {
      hold(1)
      try {
        child.stdin.write(`${JSON.stringify(argumentsOf(run))}\n`)
        const { done, value } = await lines.next()
        if (done) {
          await ended
          throw new Error(`the second verifier died: ${complaint}`)
        }
        return saidIn(value)
      } finally {
        hold(-1)
      }
    },
    close: () => child.stdin.end(),
  }
}

let shared: Second | null = null

function sharedSecond(): Second {
  shared ??= startSecond(program)
  return shared
}

/** What the second verifier says of these files, each with the same keys (a file), in their order. */
export function saidBySecond(
  files: readonly string[],
  keys: string,
  known: readonly string[] = [],
  tsa: readonly string[] = [],
): Promise<readonly Said[]> {
  return sharedSecond().said({ files, keys, known, tsa })
}

/** What the second verifier, at `from`, says in each of these runs, all in one process. */
export async function saidInRuns(
  runs: readonly Run[],
  from: string = program,
): Promise<readonly (readonly Said[])[]> {
  const second = from === program ? sharedSecond() : startSecond(from)
  try {
    return await Promise.all(runs.map((run) => second.said(run)))
  } finally {
    if (second !== shared) second.close()
  }
}
