import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { ConfigError } from './config.ts'
import { freePorts } from './demo/processes.ts'
import type { LocalPorts } from './local.ts'

const portText = z.string().regex(/^\d{1,5}$/)
const port = portText.transform(Number).pipe(z.number().max(65_535))

/** Settings of `npm start` alone, with their defaults; it passes all others on to the server. */
export const startSettings = {
  COUNTERSIGN_DIRECTORY: '.countersign',
  COUNTERSIGN_RECEIVER_PORT: '8446',
} as const

export interface StartSettings {
  /** Absolute; it exists and files can be made in it. */
  readonly directory: string
  readonly ports: LocalPorts
  /** The server's settings that were given; they win over those of the directory. */
  readonly given: Readonly<Record<string, string>>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads what `npm start` is given, and makes its directory; a port of 0 becomes a free one. */
export async function readStartSettings(environment: Environment): Promise<StartSettings> {
  const receiver = environment.COUNTERSIGN_RECEIVER_PORT ?? startSettings.COUNTERSIGN_RECEIVER_PORT
  if (!port.safeParse(receiver).success)
    throw new ConfigError([
      `COUNTERSIGN_RECEIVER_PORT: expected a port number, got ${JSON.stringify(receiver)}`,
    ])
  const directory = openDirectory(
    environment.COUNTERSIGN_DIRECTORY ?? startSettings.COUNTERSIGN_DIRECTORY,
  )
  const given = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith('COUNTERSIGN_') && !(name in startSettings) && value !== undefined
        ? [[name, value]]
        : [],
    ),
  )
  const asked = [
    portOf(given.COUNTERSIGN_INGEST_PORT, 8443),
    portOf(given.COUNTERSIGN_PORTAL_PORT, 8444),
    portOf(given.COUNTERSIGN_STAFF_PORT, 8445),
    Number(receiver),
  ]
  const free = await freePorts(asked.length)
  const [ingest = 0, portal = 0, staff = 0, last = 0] = asked.map((one, at) => one || free[at])
  const chosen = {
    ...(given.COUNTERSIGN_INGEST_PORT === '0' && { COUNTERSIGN_INGEST_PORT: String(ingest) }),
    ...(given.COUNTERSIGN_PORTAL_PORT === '0' && { COUNTERSIGN_PORTAL_PORT: String(portal) }),
    ...(given.COUNTERSIGN_STAFF_PORT === '0' && { COUNTERSIGN_STAFF_PORT: String(staff) }),
  }
  return {
    directory,
    ports: { ingest, portal, staff, receiver: last },
    given: { ...given, ...chosen },
  }
}

/** Anything that is no port is left for the reading of the server's settings to refuse. */
function portOf(text: string | undefined, fallback: number): number {
  return text !== undefined && portText.safeParse(text).success ? Number(text) : fallback
}

/**
 * Finds or makes the directory, and proves that files can be made in it. Its missing parents are made one by one:
 * `mkdirSync` with `recursive` never returns where a parent is there but takes no entries, such as /proc.
 */
function openDirectory(given: string): string {
  const refuse = (detail: string): never => {
    throw new ConfigError([`COUNTERSIGN_DIRECTORY: ${detail}, got ${JSON.stringify(given)}`])
  }
  if (given.trim() === '') return refuse('expected the path of a directory')
  const directory = resolve(given)
  const missing: string[] = []
  let at = directory
  while (!existsSync(at) && dirname(at) !== at) {
    missing.unshift(at)
    at = dirname(at)
  }
  if (!statSync(at).isDirectory()) return refuse(`expected a directory, but ${at} is none`)
  try {
    for (const each of missing) mkdirSync(each, { mode: 0o700 })
    accessSync(directory, constants.W_OK | constants.X_OK)
    const probe = join(directory, `.probe-${process.pid}`)
    writeFileSync(probe, '', { flag: 'wx' })
    rmSync(probe)
  } catch (error) {
    return refuse(`expected a directory that files can be made in: ${(error as Error).message}`)
  }
  return directory
}
