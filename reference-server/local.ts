import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureLocalCa } from '@countersign/node/local-ca'

/** Everything that a run on one machine needs, made at the first start and kept in one directory. */
export interface LocalSetup {
  readonly directory: string
  readonly caFile: string
  readonly ports: LocalPorts
  readonly origins: { readonly ingest: string; readonly portal: string; readonly receiver: string }
  readonly files: {
    readonly database: string
    readonly eventInbox: string
    readonly outcomeInbox: string
    readonly tlsKey: string
    readonly tlsCert: string
    /** The token of the staff API. */
    readonly staffToken: string
  }
  /** The server's settings, as its environment. */
  readonly environment: Readonly<Record<string, string>>
}

export interface LocalPorts {
  readonly ingest: number
  readonly portal: number
  readonly staff: number
  readonly receiver: number
}

/** What a command beside the server needs to use it, kept in its directory; paths are absolute. */
export interface LocalServer {
  readonly portalUrl: string
  readonly caFile: string
  /** Of a certificate for loopback that the server trusts when it sends. */
  readonly tlsKey: string
  readonly tlsCert: string
  /** Has the organization's members and their passwords. */
  readonly credentialsFile: string
}

const serverFile = (directory: string) => join(directory, 'server.json')

/** Has commands find the server that starts in the directory. */
export function keepLocalServer(directory: string, server: LocalServer): void {
  writePrivate(serverFile(directory), `${JSON.stringify(server, null, 2)}\n`)
}

/** The server that was last started in the directory; null where there was none. */
export function findLocalServer(directory: string): LocalServer | null {
  if (!existsSync(serverFile(directory))) return null
  return JSON.parse(readFileSync(serverFile(directory), 'utf8'))
}

/** Makes or finds the directory's secrets, certificate and paths; what is there is never replaced. */
export async function prepareLocal(
  directory: string,
  ports: LocalPorts,
  now: number,
): Promise<LocalSetup> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // It holds secrets, wherever in a repository it was put and whatever it is called.
  writePrivate(join(directory, '.gitignore'), '*\n')
  const authority = await ensureLocalCa(join(directory, 'ca'), { now })
  const { key, cert } = await authority.certFor(['localhost', '127.0.0.1', '::1'])
  const file = (name: string) => join(directory, name)
  const files = {
    database: file('countersign.sqlite'),
    eventInbox: file('receiver-events.sqlite'),
    outcomeInbox: file('receiver-outcomes.sqlite'),
    tlsKey: file('localhost.key'),
    tlsCert: file('localhost.crt'),
    staffToken: file('staff.token'),
  }
  writePrivate(files.tlsKey, key)
  writePrivate(files.tlsCert, cert)
  const origins = {
    ingest: `https://localhost:${ports.ingest}`,
    portal: `https://localhost:${ports.portal}`,
    receiver: `https://localhost:${ports.receiver}`,
  }
  return {
    directory,
    caFile: authority.caFile,
    ports,
    origins,
    files,
    environment: {
      COUNTERSIGN_DATABASE: files.database,
      COUNTERSIGN_MASTER_KEY: keptSecret(file('master.key')),
      COUNTERSIGN_SESSION_SECRET: keptSecret(file('session.key')),
      COUNTERSIGN_INGEST_PORT: String(ports.ingest),
      COUNTERSIGN_PORTAL_PORT: String(ports.portal),
      COUNTERSIGN_STAFF_PORT: String(ports.staff),
      COUNTERSIGN_STAFF_TOKENS: `local:${sha256(keptSecret(files.staffToken))}`,
      COUNTERSIGN_INGEST_URL: origins.ingest,
      COUNTERSIGN_PORTAL_URL: origins.portal,
      COUNTERSIGN_TLS_KEY_FILE: files.tlsKey,
      COUNTERSIGN_TLS_CERT_FILE: files.tlsCert,
      COUNTERSIGN_EGRESS_CA_FILE: authority.caFile,
      COUNTERSIGN_EGRESS_ALLOWED_SUBNETS: '127.0.0.0/8,::1/128',
    },
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** 32 random bytes in base64, kept from one start to the next. */
function keptSecret(path: string): string {
  if (!existsSync(path)) writePrivate(path, randomBytes(32).toString('base64'))
  return readFileSync(path, 'utf8').trim()
}

/** Readable by its owner alone, and whole or not there. */
export function writePrivate(path: string, content: string): void {
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, content, { mode: 0o600 })
  renameSync(draft, path)
}
