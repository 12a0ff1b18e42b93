import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { freePorts } from '../../demo/processes.ts'
import { Unavailable } from './peer.ts'

/** A server of a Debian package, started on loopback for the bench alone. */
export interface PeerServer {
  readonly port: number
  stop(): Promise<void>
}

async function answering(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const socket = connect(port, '127.0.0.1')
    const open = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (open) return
    await pause(50)
  }
  throw new Error(`nothing listens on port ${port} after 10 s`)
}

async function run(
  command: string,
  args: readonly string[],
  port: number,
  as?: { readonly uid: number; readonly gid: number },
): Promise<PeerServer> {
  const server = spawn(command, args, { stdio: 'ignore', ...as })
  const exited = once(server, 'exit')
  await answering(port)
  return {
    port,
    stop: async () => {
      server.kill('SIGINT')
      await exited
    },
  }
}

/** Redis with an append-only file that is synced before each answer. */
export async function startRedis(directory: string): Promise<PeerServer> {
  const command = '/usr/bin/redis-server'
  if (!existsSync(command)) throw new Unavailable('redis-server is not installed')
  const [port = 0] = await freePorts(1)
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: directory,
    appendonly: 'yes',
    appendfsync: 'always',
    save: '',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  return run(command, args, port)
}

/** PostgreSQL with its defaults: `fsync` and `synchronous_commit` are on. It does not run as root. */
export async function startPostgres(directory: string): Promise<PeerServer> {
  const root = '/usr/lib/postgresql'
  const version = existsSync(root) ? readdirSync(root).at(-1) : undefined
  const bin = `${root}/${version}/bin`
  if (!existsSync(`${bin}/initdb`)) throw new Unavailable('postgresql is not installed')
  const as = process.getuid?.() === 0 ? accountOf('postgres') : undefined
  if (as) chownSync(directory, as.uid, as.gid)
  const data = `${directory}/data`
  const made = spawnSync(`${bin}/initdb`, ['-D', data, '-A', 'trust', '-U', 'postgres'], as)
  if (made.status !== 0) throw new Unavailable(`initdb failed: ${made.stderr}`)
  const [port = 0] = await freePorts(1)
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', directory]
  const server = await run(`${bin}/postgres`, args, port, as)
  // It takes connections before it answers queries.
  const isReady = ['-q', '-h', '127.0.0.1', '-p', String(port)]
  for (let tries = 0; tries < 200 && spawnSync(`${bin}/pg_isready`, isReady).status !== 0; tries++)
    await pause(50)
  return server
}

function accountOf(name: string): { uid: number; gid: number } {
  const id = (flag: string) => Number(spawnSync('id', [flag, name]).stdout)
  return { uid: id('-u'), gid: id('-g') }
}
