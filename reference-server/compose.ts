import { accessSync, constants, readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { dirname } from 'node:path'
import { createService, type Service } from '@countersign/core'
import { countOrphans, tenants } from '@countersign/core/access'
import { list, one } from '@countersign/core/ledger'
import type { Store } from '@countersign/core/ports'
import { createPdfRenderer, zipArchives } from '@countersign/documents'
import {
  createAnswers,
  createApp,
  createBodyRoom,
  ingestRouter,
  portalRouter,
  readApiPage,
  staffRouter,
  takeTurns,
} from '@countersign/koa'
import {
  authenticators,
  createTransport,
  egressGuard,
  fileBlobs,
  identityProviders,
  nativeCipher,
  nativePrimitives,
  nodeClock,
  nodePause,
  nodeRandom,
  passwords,
  rateWindow,
  sealer,
  sessionTokens,
  signingThread,
  timeStampAuthority,
  transportThread,
} from '@countersign/node'
import { portalSite } from '@countersign/portal'
import type Router from '@koa/router'
import type { Middleware } from 'koa'
import { openAuthenticators } from './authenticators.ts'
import { type Config, following } from './config.ts'
import { apiConnections, openFileLimit, staffConnections } from './connections.ts'
import { createHealth } from './health.ts'
import { type Listener, listen } from './listen.ts'
import { createLogger, type LogStream, logObserver, observers } from './logs.ts'
import { keepMark } from './lost-writes.ts'
import { openMailer } from './mailer.ts'
import { checkMasterKey, type Resealing, resealBeside } from './master-key.ts'
import { createMetrics } from './metrics.ts'
import { openDatabase } from './open-database.ts'
import { createReports } from './report.ts'
import { ingestPage, staffPage } from './root-page.ts'
import { openSandbox, sandboxTenantId } from './sandbox/open-sandbox.ts'
import { movableClock, serveTestClock } from './test-clock.ts'
import { openTlsFiles } from './tls.ts'

/** A probe or a scrape that is under way may end. */
const staffCloseMs = 1_000

export interface Server {
  readonly service: Service
  /** Opens the listeners and starts the work that is due by itself. */
  start(): Promise<void>
  /** Reads the certificate's files now; they are looked at every minute anyway. */
  reloadTls(): void
  /** Stops taking requests, lets deliveries in flight end, closes the store. */
  stop(): Promise<void>
}

/** The one place that knows every adapter. `onFault` is told when nothing can be written any more: a restart helps. */
export async function composeServer(
  config: Config,
  onFault: (error: Error) => void = () => {},
  logStream: LogStream = 1,
): Promise<Server> {
  const logger = createLogger(config.logLevel, logStream)
  const logged = logObserver(logger)
  const metrics = createMetrics(logged)
  const observer = observers(logged, metrics.observer)
  const movable = config.testClockPort === null ? null : movableClock()
  const clock = movable ?? nodeClock()
  const random = nodeRandom()
  const { caFile, allowedSubnets, refusedPorts } = config.egress
  const ca = caFile && following('COUNTERSIGN_EGRESS_CA_FILE', () => readFileSync(caFile))
  const egress = { allowedSubnets, refusedPorts, ...(ca && { ca }) }
  const guard = following('COUNTERSIGN_EGRESS_ALLOWED_SUBNETS', () => egressGuard(egress))
  const tls = openTlsFiles(config, logger)
  const mailer = config.mailer === null ? null : await openMailer(config.mailer)
  if (config.databaseUrl === null)
    following('COUNTERSIGN_DATABASE', () => accessSync(dirname(config.database), constants.W_OK))
  const database = await openDatabase(config, { logger, observer }, onFault)
  const store = metrics.watch(database.store, clock.now, database.file?.sizes)
  const blobs = following('COUNTERSIGN_BLOBS', () => fileBlobs({ directory: config.blobs }))
  const keeper =
    database.file &&
    keepMark(database.file.mark, clock, (error) =>
      logger.warn({ error: error.message }, 'the high-water mark could not be raised'),
    )
  if (allowedSubnets.length > 0) {
    logger.warn(
      { subnets: allowedSubnets },
      'webhooks may reach these subnets, which are refused otherwise',
    )
  }
  // A clock that is moved is this thread's.
  const transport = movable
    ? createTransport({ ...egress, clock })
    : transportThread({ ...egress, observer })
  const signing = signingThread({ observer })
  const renderer = createPdfRenderer()
  const service = createService({
    ports: {
      store,
      clock,
      random,
      observer,
      primitives: nativePrimitives,
      signing,
      transport,
      egress: guard,
      cipher: nativeCipher(),
      blobs,
      sealer: sealer({ masterKey: config.masterKey, previousKeys: config.previousMasterKeys }),
      passwords: passwords(),
      authenticators: openAuthenticators(config.attestationRootsFile, authenticators),
      identityProviders: identityProviders(egress),
      tokens: sessionTokens({ secret: config.sessionSecret, issuer: config.portalUrl }),
      pause: nodePause,
      renderer,
      archives: zipArchives,
      ...(mailer && { mailer }),
      ...(config.timeStampUrl !== null && {
        timeStamps: timeStampAuthority({ url: config.timeStampUrl, transport, random }),
      }),
    },
    ingestUrl: config.ingestUrl,
    portalUrl: config.portalUrl,
    rpId: config.rpId,
    limits: { webhooksPerTenant: config.webhooksPerTenant },
    deletionGraceMs: config.deletionGraceMs,
    ...(config.staffTokens.length > 0 && {
      staffNames: config.staffTokens.map(({ name }) => name),
    }),
  })
  const closePorts = async () => {
    transport.close()
    await signing.close()
    await renderer.close()
    await keeper?.stop()
    await store.close()
    database.unlock()
  }
  const prepare = async () => {
    const due = await checkMasterKey(service, config)
    await store.fill()
    return due
  }
  const resealDue = await prepare().catch(async (error: Error) => {
    await closePorts()
    throw error
  })
  const reports = createReports(store, logged)
  const health = createHealth({
    store: database.probed,
    clock,
    registry: metrics.registry,
    page: readApiPage,
  })
  const { ingestUrl, portalUrl } = config
  const sandbox = openSandbox({ ingestUrl, portalUrl, renderer })
  const options = {
    service,
    clock,
    observer,
    rateLimit: { window: rateWindow(), perMinute: config.ratePerMinute },
    portalRateLimit: {
      window: rateWindow(),
      perMember: config.memberRatePerMinute,
      perAddress: config.addressRatePerMinute,
    },
    sandboxTenantId: config.sandboxTenantId ?? sandboxTenantId,
    ...(config.sandboxTenantId === null && { sandboxService: sandbox.service }),
    staffTokens: config.staffTokens,
    insecureCookies: config.tls === null && isPlainLoopback(config.portalUrl),
  }
  if (config.roles.includes('staff') && config.staffTokens.length > 0)
    health.router.use(staffRouter(options).routes())
  const answers = createAnswers({ observer })
  const bodies = createBodyRoom()
  let apis: readonly Listener[] = []
  let staff: Listener | null = null
  let testClock: { close(): Promise<void> } | null = null
  let resealing: Resealing | null = null

  function handler(router: Router, site: readonly Middleware[] = []): RequestListener {
    const answer = createApp(router, {
      random,
      observer,
      middleware: [metrics.middleware, ...site],
      trustedProxies: config.trustedProxies,
      answers,
      bodies,
    }).callback()
    // Koa answers its own failures; the promise only says when.
    return takeTurns((request, response) => void answer(request, response))
  }

  return {
    service,
    start: async () => {
      const { host, ingestPort, portalPort, staffHost, staffPort, roles } = config
      const files = openFileLimit()
      const maxConnections = apiConnections(config.maxConnections, files)
      if (maxConnections < config.maxConnections)
        logger.info({ maxConnections, files }, 'connections are limited by the open files')
      const api = (setting: string, port: number, answer: RequestListener) =>
        listen({ setting, host, port, tls, maxConnections, logger, handler: answer })
      const [operators, ingest, portal] = await Promise.all([
        listen({
          setting: 'COUNTERSIGN_STAFF_PORT',
          host: staffHost,
          port: staffPort,
          tls: null,
          maxConnections: staffConnections,
          logger,
          handler: handler(health.router, [staffPage()]),
        }),
        roles.includes('ingest')
          ? api(
              'COUNTERSIGN_INGEST_PORT',
              ingestPort,
              handler(ingestRouter(options), [ingestPage(portalUrl)]),
            )
          : null,
        roles.includes('portal')
          ? api(
              'COUNTERSIGN_PORTAL_PORT',
              portalPort,
              handler(portalRouter(options), [portalSite()]),
            )
          : null,
      ])
      apis = [ingest, portal].filter((listener) => listener !== null)
      staff = operators
      if (movable && config.testClockPort !== null) {
        const served = await serveTestClock(movable, config.testClockPort)
        testClock = served
        logger.warn({ port: served.port }, 'the clock can be moved by anyone on this machine')
      }
      if (!(await hasOrganization(store)))
        logger.warn(
          "the database has no organization yet: make one with `countersign init --name NAME --email EMAIL`, under the server's settings",
        )
      if (roles.includes('dispatch')) {
        service.start()
        resealing = resealBeside(service, { due: resealDue, config, logger })
      }
      const ports = { ingest: ingest?.port, portal: portal?.port, staff: operators.port }
      logger.info({ roles, ...ports }, 'listening')
      const { rpId } = config
      const orphans = roles.includes('portal') ? await countOrphans(store, rpId) : 0
      if (orphans > 0)
        logger.warn(
          { rpId, orphans },
          'authenticators of members were enrolled under another COUNTERSIGN_RP_ID, and browsers offer them here no more: their members need others, enrolled by the link that is mailed when the last one is revoked',
        )
    },
    reloadTls: tls.reload,
    stop: async () => {
      logger.info('draining')
      health.drain()
      // Side by side, within one time: what a late request commits is sent at the next start.
      await Promise.all([
        ...apis.map((listener) => listener.close(config.drainMs)),
        service.drain(config.drainMs),
      ])
      // After the others, so that operators hear of the drain as long as it takes.
      await staff?.close(staffCloseMs)
      await testClock?.close()
      await resealing?.stop()
      reports.stop()
      await reports.report()
      await sandbox.close()
      await closePorts()
      health.close()
      tls.close()
      logger.info('stopped')
    },
  }
}

/** Whether there is anybody who could log in. */
async function hasOrganization(store: Store): Promise<boolean> {
  const [found] = await store.read(null, [list(tenants, { where: [], take: 1 })])
  return one(tenants, found) !== null
}

function isPlainLoopback(portalUrl: string): boolean {
  const { protocol, hostname } = new URL(portalUrl)
  return protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)
}
