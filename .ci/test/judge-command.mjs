// Judges a command that a document shows: whether its program, command, options, script or operation are there.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { routes } from '../../adapters/koa/dist/index.js'
import { home, packages, readJson } from '../packages.mjs'

const manifests = packages.map((dir) => ({ dir, ...readJson(join(home, dir, 'package.json')) }))
const { scripts } = readJson(join(home, 'package.json'))
/** Programs of the packages, by name. */
const programs = new Map(
  manifests.flatMap(({ dir, bin = {} }) =>
    Object.entries(bin).map(([name, file]) => [name, join(home, dir, file)]),
  ),
)
/** What a reader's system has. */
const systems = new Set(['bash', 'cat', 'exec', 'env', 'openssl', 'printf', 'sha256sum'])
const settings = readFileSync(join(home, 'reference-server/README.md'), 'utf8')
/** Judged by `--help` where it has a command to ask; the hook of agents has none, and reads what it is sent. */
const withoutHelp = new Set(['countersign-hook'])

/** What is wrong with a command (`words`, `settings`) of a document in this folder; empty: nothing. */
export function judgeCommand({ words, settings: set }, folder) {
  return [
    ...set
      .filter((name) => name.startsWith('COUNTERSIGN_') && !settings.includes(`\`${name}\``))
      .map((name) => `no setting ${name}`),
    ...judgeWords(words, folder),
  ]
}

function judgeWords([program, ...rest], folder) {
  if (program === undefined) return []
  if (program === 'npm') return judgeNpm(rest)
  if (program === 'curl') return judgeCurl(rest)
  if (program === 'npx')
    return programs.has(rest[0])
      ? judgeProgram(rest[0], rest.slice(1))
      : [`nothing here is called ${rest[0]}`]
  if (program === 'node' || program === 'python3')
    return existsSync(join(home, folder, rest[0])) ? [] : [`there is no ${rest[0]}`]
  if (program === 'exec' || program === 'env') {
    const own = rest.filter((word) => programs.has(basename(word)))
    return own.flatMap((word) => judgeProgram(basename(word), []))
  }
  if (programs.has(basename(program))) return judgeProgram(basename(program), rest)
  return systems.has(program) ? [] : [`${program} is no command that readers have`]
}

function judgeNpm([command, ...rest]) {
  if (command === 'install')
    return rest
      .filter((word) => word.startsWith('@countersign/'))
      .filter((word) => !manifests.some(({ name }) => name === word))
      .map((word) => `no package ${word}`)
  if (command === 'ci') return []
  const script = command === 'run' ? rest[0] : command
  return Object.hasOwn(scripts, script) ? [] : [`no script ${script}`]
}

const helps = new Map()

/** What a program, or a command of it, prints for `--help`; null: there is no such command. */
function helpOf(name, command) {
  const key = `${name} ${command}`
  if (!helps.has(key)) {
    const words = [programs.get(name), ...(command ? [command] : []), '--help']
    const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    helps.set(key, status === 0 ? stdout : null)
  }
  return helps.get(key)
}

function judgeProgram(name, words) {
  if (withoutHelp.has(name)) return []
  const command = words[0] && /^[a-z][a-z-]*$/.test(words[0]) ? words[0] : ''
  const help = helpOf(name, command)
  if (help === null) return [`${name} has no command ${command}`]
  const end = words.indexOf('--')
  const options = (end < 0 ? words : words.slice(0, end)).filter((word) => word.startsWith('--'))
  return options
    .filter((option) => !new RegExp(`${option}\\b`).test(help))
    .map((option) => `${[name, command].filter(Boolean).join(' ')} has no option ${option}`)
}

function judgeCurl(words) {
  const after = (option) => words[words.indexOf(option) + 1]
  const data = words.includes('-d') ? after('-d') : null
  const method = words.includes('-X') ? after('-X') : data === null ? 'GET' : 'POST'
  const [path] = words.map((word) => /\/v1\/.*/.exec(word)?.[0]).filter(Boolean)
  const faults = data === null || isJson(data) ? [] : ['its data is no JSON']
  const isThere = routes.some((row) => row.method === method && fits(row.path, path))
  return path && !isThere && !faults.length ? [`no operation ${method} ${path}`] : faults
}

function fits(pattern, path) {
  const [wanted, given] = [pattern, path].map((text) => text.split('/'))
  return (
    wanted.length === given.length &&
    wanted.every((part, at) => part.startsWith(':') || part === given[at])
  )
}

function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
