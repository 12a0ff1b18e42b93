import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

interface Kills<Word> {
  readonly worker: URL
  readonly count: number
  readonly args: (kill: number) => readonly string[]
  /** Ms of load before the kill: every other time from the first word on, else from the start of the load. */
  readonly after: (kill: number) => number
  readonly hear: (word: Word) => void
}

/** The worker in one file, and the thread that writes for it in another: they start in half the time of their modules. */
function bundled(worker: URL): string {
  const name = basename(worker.pathname, '.js')
  const outdir = fileURLToPath(new URL(`./${name}.bundle`, worker))
  const thread = new URL('./writer-worker.js', import.meta.resolve('@countersign/sqlite'))
  buildSync({
    entryPoints: [worker, thread].map((url) => fileURLToPath(url)),
    entryNames: '[name]',
    outdir,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3'],
    // Bundled CommonJS asks for Node's own modules by require.
    banner: {
      js: "import { createRequire as from } from 'node:module';const require = from(import.meta.url)",
    },
  })
  return join(outdir, `${name}.js`)
}

/** Starts a worker, lets it work for so long, kills it with SIGKILL, and again. */
export async function killAgainAndAgain<Word extends { readonly kind: string }>(
  kills: Kills<Word>,
): Promise<void> {
  const worker = bundled(kills.worker)
  for (let kill = 0; kill < kills.count; kill++) {
    // Not the runner's own flags, which load fast-check.
    const child = fork(worker, [...kills.args(kill)], { execArgv: [] })
    const loaded = hearUntilUnderWay(child, kills.hear, kill % 2 === 0)
    const exited = once(child, 'exit')
    await Promise.race([loaded, failed(exited)])
    await new Promise((resolve) => setTimeout(resolve, kills.after(kill)))
    child.kill('SIGKILL')
    const [code] = await exited
    if (code !== null) throw new Error(`worker ${kill} ended by itself with code ${code}`)
  }
}

function hearUntilUnderWay<Word extends { readonly kind: string }>(
  child: ChildProcess,
  hear: (word: Word) => void,
  fromStart: boolean,
): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      const word = message as Word
      if (word.kind !== 'loaded') hear(word)
      if (fromStart || word.kind !== 'loaded') resolve()
    })
  })
}

async function failed(exited: Promise<readonly unknown[]>): Promise<never> {
  const [code] = await exited
  throw new Error(`the worker ended with code ${code} before it had loaded`)
}
