import { faultOfRpId } from '@countersign/core/access'
import { defaultLimits, deletionGraceMs, shortDeletionGraceMs } from '@countersign/core/ledger'
import * as z from 'zod'
import { readSecretFiles, secretSettings } from './secret-files.ts'

/** Digits alone: an empty setting, which a template leaves behind, is no 0 and turns nothing on. */
const whole = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'expected a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most))
const port = whole(0, 65_535)
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)
const ports = list
  .refine((parts) => parts.every((part) => port.safeParse(part).success), 'expected port numbers')
  .transform((parts) => parts.map(Number))
const url = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''))
const key = z
  .string()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((bytes) => bytes.length === 32, 'expected 32 bytes in base64')

const keys = list
  .transform((parts) => parts.map((part) => Buffer.from(part, 'base64')))
  .refine((all) => all.every((bytes) => bytes.length === 32), 'expected keys of 32 bytes in base64')

const staffToken = /^[\w-]{1,100}:[0-9a-f]{64}$/
const staffTokens = list
  .refine(
    (parts) => parts.every((part) => staffToken.test(part)),
    'expected NAME:HASH,… with names of 1 to 100 of A-Z a-z 0-9 _ - and the hex SHA-256 of each token in lower case',
  )
  .transform((parts) =>
    parts.map((part) => {
      const [name = '', sha256 = ''] = part.split(':')
      return { name, sha256 }
    }),
  )
  .refine((tokens) => isUnique(tokens.map(({ name }) => name)), 'expected each name once')
  .refine((tokens) => isUnique(tokens.map(({ sha256 }) => sha256)), 'expected each token once')

function isUnique(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length
}

/** What a process can do apart from others on the same database; each serves health and metrics. */
export const roles = ['ingest', 'portal', 'staff', 'dispatch'] as const
export type Role = (typeof roles)[number]

const roleList = list
  .refine(
    (parts) => parts.length > 0 && parts.every((part) => roles.some((role) => role === part)),
    `expected a list of ${roles.join(', ')}`,
  )
  .transform((parts) => roles.filter((role) => parts.includes(role)))

/** Every setting: its name in the environment, what it must look like, and its default. */
export const settings = z
  .object({
    COUNTERSIGN_DATABASE: z.string().min(1).optional(),
    /** Of PostgreSQL, in place of the file. */
    COUNTERSIGN_DATABASE_URL: z.url({ protocol: /^postgres(?:ql)?$/ }).optional(),
    COUNTERSIGN_BLOBS: z.string().min(1).optional(),
    COUNTERSIGN_MASTER_KEY: key,
    COUNTERSIGN_PREVIOUS_MASTER_KEYS: keys.default([]),
    COUNTERSIGN_SESSION_SECRET: key,
    COUNTERSIGN_HOST: z.string().min(1).default('127.0.0.1'),
    COUNTERSIGN_INGEST_PORT: port.default(8443),
    COUNTERSIGN_PORTAL_PORT: port.default(8444),
    COUNTERSIGN_STAFF_PORT: port.default(8445),
    /** Always loopback unless it is named. */
    COUNTERSIGN_STAFF_HOST: z.string().min(1).default('127.0.0.1'),
    /** None: no staff API. */
    COUNTERSIGN_STAFF_TOKENS: staffTokens.default([]),
    COUNTERSIGN_INGEST_URL: url,
    COUNTERSIGN_PORTAL_URL: url,
    /** Of the authenticators of members; none: the portal's host. */
    COUNTERSIGN_RP_ID: z.string().min(1).optional(),
    /** Root certificates of models of authenticators, in JSON; none: no list of models can be set. */
    COUNTERSIGN_ATTESTATION_ROOTS_FILE: z.string().min(1).optional(),
    COUNTERSIGN_TLS_KEY_FILE: z.string().min(1).optional(),
    COUNTERSIGN_TLS_CERT_FILE: z.string().min(1).optional(),
    COUNTERSIGN_EGRESS_CA_FILE: z.string().min(1).optional(),
    COUNTERSIGN_EGRESS_ALLOWED_SUBNETS: list.default([]),
    COUNTERSIGN_EGRESS_REFUSED_PORTS: ports.default([]),
    /** Of a time-stamping authority (RFC 3161); none: the anchor ledger is not stamped. */
    COUNTERSIGN_TIME_STAMP_URL: z.url({ protocol: /^https$/ }).optional(),
    COUNTERSIGN_TRUSTED_PROXIES: whole(0, 10).default(0),
    COUNTERSIGN_RATE_PER_MINUTE: whole(1).default(600),
    COUNTERSIGN_WEBHOOKS_PER_TENANT: whole(1, 1_000).default(defaultLimits.webhooksPerTenant),
    /** What the deployment is for: but for production, a deletion's grace is an hour. */
    COUNTERSIGN_ENVIRONMENT: z
      .enum(['production', 'sandbox', 'pre-production'])
      .default('production'),
    COUNTERSIGN_MEMBER_RATE_PER_MINUTE: whole(1).default(600),
    COUNTERSIGN_ADDRESS_RATE_PER_MINUTE: whole(1).default(300),
    COUNTERSIGN_MAX_CONNECTIONS: whole(1, 1_000_000).default(10_000),
    COUNTERSIGN_ROLES: roleList.default([...roles]),
    COUNTERSIGN_SANDBOX_TENANT: z.string().min(1).optional(),
    /** A module that exports `send`, the `Mailer` of the core; none: no mail is sent. */
    COUNTERSIGN_MAILER: z.string().min(1).optional(),
    COUNTERSIGN_DRAIN_MS: whole(0, 600_000).default(12_000),
    /** Lets tests move the clock over a loopback port; never in production. */
    COUNTERSIGN_TEST_CLOCK_PORT: port.optional(),
    COUNTERSIGN_LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
      .default('info'),
  })
  .refine(
    (given) =>
      (given.COUNTERSIGN_TLS_KEY_FILE === undefined) ===
      (given.COUNTERSIGN_TLS_CERT_FILE === undefined),
    'COUNTERSIGN_TLS_KEY_FILE and COUNTERSIGN_TLS_CERT_FILE go together',
  )

export type Settings = z.output<typeof settings>

export interface Config {
  /** The file, or the URL without its password. */
  readonly database: string
  /** Of PostgreSQL; null: the database is the file. */
  readonly databaseUrl: string | null
  /** The directory of sealed payloads and archives. */
  readonly blobs: string
  readonly masterKey: Uint8Array
  /** Keys that it replaced; what is sealed under them is sealed anew. */
  readonly previousMasterKeys: readonly Uint8Array[]
  readonly sessionSecret: Uint8Array
  readonly host: string
  readonly ingestPort: number
  readonly portalPort: number
  readonly staffPort: number
  readonly staffHost: string
  /** None: no staff API. */
  readonly staffTokens: readonly { readonly name: string; readonly sha256: string }[]
  readonly ingestUrl: string
  readonly portalUrl: string
  /** The id under which authenticators are enrolled: the portal's host, or a parent domain of it. */
  readonly rpId: string
  /** Root certificates of models of authenticators; null: none. */
  readonly attestationRootsFile: string | null
  readonly tls: { readonly keyFile: string; readonly certFile: string } | null
  readonly egress: {
    readonly caFile: string | null
    readonly allowedSubnets: readonly string[]
    readonly refusedPorts: readonly number[]
  }
  /** Of a time-stamping authority; null: none is asked. */
  readonly timeStampUrl: string | null
  readonly trustedProxies: number
  /** Of an application key. */
  readonly ratePerMinute: number
  readonly webhooksPerTenant: number
  /** From the request of an application's deletion to its purge. */
  readonly deletionGraceMs: number
  readonly memberRatePerMinute: number
  /** Without a session, as at login. */
  readonly addressRatePerMinute: number
  /** Of each API. */
  readonly maxConnections: number
  readonly roles: readonly Role[]
  readonly sandboxTenantId: string | null
  /** The module of a mailer; null: no mail is sent. */
  readonly mailer: string | null
  readonly drainMs: number
  /** Null: the clock can't be moved. */
  readonly testClockPort: number | null
  readonly logLevel: Settings['COUNTERSIGN_LOG_LEVEL']
}

/** Where the blobs of a database lie unless it is set. */
export function blobsBeside(database: string): string {
  return `${database}.blobs`
}

/** A setting is wrong; the message names each with what was expected, for whoever starts the server. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(
      `the environment is not right:\n${problems.map((line) => `  ${line}`).join('\n')}`,
      options,
    )
  }
}

/** What a setting leads to, a file or a form of another package; where that fails the setting is named. */
export function following<T>(name: keyof Settings, follow: () => T): T {
  try {
    return follow()
  } catch (error) {
    throw new ConfigError([`${name}: ${(error as Error).message}`], { cause: error })
  }
}

/** The environment with the secrets of files that it names; throws a `ConfigError` for one that can't be taken. */
export function withSecrets(
  given: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const { environment, problems } = readSecretFiles(given)
  if (problems.length > 0) throw new ConfigError(problems)
  return environment
}

/** Reads the environment once, whole, before anything is opened. */
export function readConfig(from: Readonly<Record<string, string | undefined>>): Config {
  const environment = withSecrets(from)
  const known = new Set(Object.keys(settings.shape))
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('COUNTERSIGN_') && !known.has(name),
  )
  // Read once, so that compiling the schema first (zod's way) would cost more than it saves.
  const parsed = settings.safeParse(environment, { jitless: true })
  const problems = [
    ...unknown.map((name) => `${name}: no such setting`),
    ...lacking(environment),
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => describe(issue, environment))),
  ]
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems)
  const given = parsed.data
  const {
    COUNTERSIGN_PORTAL_URL: portalUrl,
    COUNTERSIGN_RP_ID: rpId = new URL(portalUrl).hostname,
  } = given
  const fault = faultOfRpId(rpId, portalUrl)
  if (fault !== null)
    throw new ConfigError([`COUNTERSIGN_RP_ID: ${fault}, got ${JSON.stringify(rpId)}`])
  const { COUNTERSIGN_DATABASE: file = '', COUNTERSIGN_DATABASE_URL: url } = given
  return {
    database: url === undefined ? file : withoutPassword(url),
    databaseUrl: url ?? null,
    blobs: given.COUNTERSIGN_BLOBS ?? blobsBeside(file),
    masterKey: given.COUNTERSIGN_MASTER_KEY,
    previousMasterKeys: given.COUNTERSIGN_PREVIOUS_MASTER_KEYS,
    sessionSecret: given.COUNTERSIGN_SESSION_SECRET,
    host: given.COUNTERSIGN_HOST,
    ingestPort: given.COUNTERSIGN_INGEST_PORT,
    portalPort: given.COUNTERSIGN_PORTAL_PORT,
    staffPort: given.COUNTERSIGN_STAFF_PORT,
    staffHost: given.COUNTERSIGN_STAFF_HOST,
    staffTokens: given.COUNTERSIGN_STAFF_TOKENS,
    ingestUrl: given.COUNTERSIGN_INGEST_URL,
    portalUrl,
    rpId,
    attestationRootsFile: given.COUNTERSIGN_ATTESTATION_ROOTS_FILE ?? null,
    tls:
      given.COUNTERSIGN_TLS_KEY_FILE && given.COUNTERSIGN_TLS_CERT_FILE
        ? { keyFile: given.COUNTERSIGN_TLS_KEY_FILE, certFile: given.COUNTERSIGN_TLS_CERT_FILE }
        : null,
    egress: {
      caFile: given.COUNTERSIGN_EGRESS_CA_FILE ?? null,
      allowedSubnets: given.COUNTERSIGN_EGRESS_ALLOWED_SUBNETS,
      refusedPorts: given.COUNTERSIGN_EGRESS_REFUSED_PORTS,
    },
    timeStampUrl: given.COUNTERSIGN_TIME_STAMP_URL ?? null,
    trustedProxies: given.COUNTERSIGN_TRUSTED_PROXIES,
    ratePerMinute: given.COUNTERSIGN_RATE_PER_MINUTE,
    webhooksPerTenant: given.COUNTERSIGN_WEBHOOKS_PER_TENANT,
    deletionGraceMs:
      given.COUNTERSIGN_ENVIRONMENT === 'production' ? deletionGraceMs : shortDeletionGraceMs,
    memberRatePerMinute: given.COUNTERSIGN_MEMBER_RATE_PER_MINUTE,
    addressRatePerMinute: given.COUNTERSIGN_ADDRESS_RATE_PER_MINUTE,
    maxConnections: given.COUNTERSIGN_MAX_CONNECTIONS,
    roles: given.COUNTERSIGN_ROLES,
    sandboxTenantId: given.COUNTERSIGN_SANDBOX_TENANT ?? null,
    mailer: given.COUNTERSIGN_MAILER ?? null,
    drainMs: given.COUNTERSIGN_DRAIN_MS,
    testClockPort: given.COUNTERSIGN_TEST_CLOCK_PORT ?? null,
    logLevel: given.COUNTERSIGN_LOG_LEVEL,
  }
}

/** What is required unless another setting stands in for it. */
function lacking(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  if (environment.COUNTERSIGN_DATABASE !== undefined) return []
  if (environment.COUNTERSIGN_DATABASE_URL === undefined)
    return ['COUNTERSIGN_DATABASE: is missing']
  return environment.COUNTERSIGN_BLOBS === undefined
    ? ['COUNTERSIGN_BLOBS: is missing; it names a directory that all processes share']
    : []
}

/** A URL of a database as it may be shown. */
export function withoutPassword(url: string): string {
  const shown = new URL(url)
  shown.password = ''
  return shown.href
}

function describe(
  issue: z.core.$ZodIssue,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const name = String(issue.path[0] ?? '')
  if (name === '') return issue.message
  const value = environment[name]
  if (value === undefined) return `${name}: is missing`
  const shown = secretSettings.has(name) ? `${value.length} characters` : JSON.stringify(value)
  return `${name}: ${issue.message}, got ${shown}`
}
