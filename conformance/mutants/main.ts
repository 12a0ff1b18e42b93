import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutants } from './catalogue.ts'
import type { MutantVerdict } from './try-mutant.ts'

const usage = `usage: mutants [--json] [--only TEXT] [--part K/N] [--seeds N]

Runs the simulator on systems with one thing broken each. A mutant is killed when the property that is named for it
breaks within so many seeds; one that survives, or that only another property notices, fails. --part 2/3 tries every
third, from the second on.

Exit status: 0 all were killed, 1 one was not, 2 wrong arguments.`

function readFlags() {
  try {
    return parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        part: { type: 'string', default: '1/1' },
        seeds: { type: 'string', default: '300' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`)
    process.exit(2)
  }
}

const flags = readFlags()
if (flags.help) {
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}
const [part = 0, parts = 0] = /^\d{1,3}\/\d{1,3}$/.test(flags.part)
  ? flags.part.split('/').map(Number)
  : []
const chosen = mutants
  .filter(({ name }) => name.includes(flags.only))
  .filter((_, at) => part >= 1 && part <= parts && at % parts === part - 1)
if (chosen.length === 0 || !/^[1-9]\d{0,6}$/.test(flags.seeds)) {
  process.stderr.write(
    `expected a mutant's name, a part such as 2/3 and a number of seeds\n\n${usage}\n`,
  )
  process.exit(2)
}

const patienceMs = 120_000

function tryOne(name: string): Promise<MutantVerdict> {
  return new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL('./try-mutant.js', import.meta.url))
    const child = spawn(process.execPath, [script, name, flags.seeds], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    const hung = setTimeout(() => child.kill('SIGKILL'), patienceMs)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(hung)
      if (signal === 'SIGKILL') {
        const broken = [`none within ${patienceMs / 1_000} s`]
        resolve({ name, property: '', killed: false, seed: null, broken, detail: '' })
      } else if (code === 0) resolve(JSON.parse(text) as MutantVerdict)
      else reject(new Error(`mutant ${JSON.stringify(name)} could not be tried (exit ${code})`))
    })
  })
}

const queue = [...chosen]
const verdicts: MutantVerdict[] = []

async function serve(): Promise<void> {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const verdict = await tryOne(next.name)
    verdicts.push(verdict)
    const { name, killed, seed, property, broken } = verdict
    const told = killed
      ? `killed    ${name}: ${property} (seed ${seed})`
      : `SURVIVES  ${name}: expected ${property}; broken: ${broken.join(', ') || 'none'}`
    process.stderr.write(`${told}\n`)
  }
}

await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, serve))
const survivors = verdicts.filter((one) => !one.killed).map(({ name }) => name)
const killed = verdicts.length - survivors.length
if (flags.json)
  process.stdout.write(`${JSON.stringify({ mutants: verdicts.length, killed, survivors })}\n`)
else process.stdout.write(`${killed} of ${verdicts.length} mutants killed\n`)
process.exitCode = survivors.length === 0 ? 0 : 1
