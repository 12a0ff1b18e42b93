import { isIP, Socket, type TcpNetConnectOpts } from 'node:net'
import { checkServerIdentity, connect, type SecureContext, type TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'
import { containThrows } from './contain-throws.ts'
import type { Target } from './policy.ts'

/** Progress of a connection; decides what a failure means. */
export type Stage = 'connect' | 'tls' | 'ready'

export interface Dialling {
  readonly target: Target
  readonly secureContext: () => SecureContext
  /** The checked addresses, read at each connect; nothing else is dialled. */
  readonly addresses: () => readonly string[]
  readonly onStage: (stage: Stage) => void
  /** The socket to destroy when the connection is given up: that of TCP first, then that of TLS. */
  readonly onSocket: (socket: Socket) => void
  /** TLS session for resumption, which saves a round trip. */
  readonly session: { current: Buffer | undefined }
}

/** Ms for one of several addresses; Node's default of 250 is too short for distant endpoints. */
const perAddressMs = 2000

/**
 * An undici connector that dials the checked addresses in turn (RFC 8305) and keeps the name for SNI and the
 * certificate. Every failure is reported to the callback, once: TCP and TLS are set up apart, for `tls.connect`
 * throws, and leaves a socket without an error listener, when each dial fails at once.
 */
export function createConnector(dialling: Dialling): buildConnector.connector {
  const { onStage, onSocket } = dialling
  return (_options, callback) => {
    let told = false
    const fail = (error: unknown) => {
      if (told) return
      told = true
      callback(error instanceof Error ? error : new Error(String(error)), null)
    }
    onStage('connect')
    const tcp = containThrows(new Socket())
    onSocket(tcp)
    const step = (work: () => void) => {
      try {
        work()
      } catch (error) {
        // A TLS socket that `connect` made before it threw has no listener: it reads in the next tick and must find
        // the connection whole. It closes, silently, with the one below it.
        process.nextTick(() => {
          tcp.destroy()
          fail(error)
        })
      }
    }
    failWith(tcp, fail)
    tcp.once('connect', () =>
      step(() => {
        onStage('tls')
        const tls = startTls(tcp, dialling)
        onSocket(tls)
        failWith(tls, fail)
        tls.once('secureConnect', () => {
          if (told) return
          told = true
          onStage('ready')
          callback(null, tls)
        })
      }),
    )
    step(() => {
      tcp.setNoDelay(true)
      tcp.connect(dialOptions(dialling, step))
    })
  }
}

/** Keeps an error listener for the life of the socket: an unhandled error event ends the thread. */
function failWith(socket: Socket, fail: (error: unknown) => void): void {
  socket.on('error', fail)
  socket.once('close', () => fail(new Error('the connection was closed before TLS was set up')))
}

function dialOptions(
  { target, addresses }: Dialling,
  step: (work: () => void) => void,
): TcpNetConnectOpts {
  return {
    host: target.hostname,
    port: target.port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: perAddressMs,
    lookup: (_hostname, { all: wantsAll }, found) =>
      // Node expects the answer in a later turn.
      process.nextTick(step, () => {
        const all = addresses().map((address) => ({ address, family: isIP(address) }))
        const [first] = all
        if (wantsAll || !first) found(null, all)
        else found(null, first.address, first.family)
      }),
  }
}

function startTls(tcp: Socket, { target, secureContext, session }: Dialling): TLSSocket {
  const tls = connect({
    socket: tcp,
    host: target.hostname,
    // SNI holds names only (RFC 6066 3); for an address the certificate must name the address.
    servername: isIP(target.hostname) ? '' : target.hostname,
    ALPNProtocols: ['http/1.1'],
    secureContext: secureContext(),
    rejectUnauthorized: true,
    checkServerIdentity: (hostname, certificate) => {
      try {
        return checkServerIdentity(hostname, certificate)
      } catch (error) {
        // Node throws for malformed subject names, in the middle of the handshake.
        return error instanceof Error ? error : new Error(String(error))
      }
    },
    ...(session.current && { session: session.current }),
  })
  tls.on('session', (fresh) => {
    session.current = fresh
  })
  return containThrows(tls)
}
