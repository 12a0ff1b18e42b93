import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '@countersign/core/ports'
import { takePort } from './listen.ts'

/** A clock that can be moved forward, and how far it is ahead; what it wakes wakes early. */
export interface MovableClock extends Clock {
  advance(ms: number): void
}

interface Timer {
  readonly at: number
  readonly ring: () => void
  handle: NodeJS.Timeout
}

const longestTimer = 2 ** 31 - 1

/** Wall and monotonic time move together, so that to whoever asks the time has simply passed. */
export function movableClock(): MovableClock {
  const timers = new Set<Timer>()
  let ahead = 0
  const monotonic = () => performance.now() + ahead

  function arm(timer: Timer): void {
    clearTimeout(timer.handle)
    const left = Math.max(0, timer.at - monotonic())
    timer.handle =
      left > longestTimer
        ? setTimeout(() => arm(timer), longestTimer)
        : setTimeout(timer.ring, Math.ceil(left))
  }

  return {
    now: () => Math.floor(Date.now() + ahead),
    monotonic,
    after: (ms, call) => {
      const ring = () => {
        timers.delete(timer)
        call()
      }
      const timer: Timer = { at: monotonic() + ms, ring, handle: setTimeout(ring, 0) }
      timers.add(timer)
      arm(timer)
      return () => {
        timers.delete(timer)
        clearTimeout(timer.handle)
      }
    },
    advance: (ms) => {
      ahead += ms
      for (const timer of timers) arm(timer)
    },
  }
}

const furthest = 400 * 24 * 3_600_000

/** `GET /` tells the time, `POST /?advance=MS` moves it; on loopback alone. */
export async function serveTestClock(
  clock: MovableClock,
  port: number,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => answer(clock, request, response))
  await takePort(server, { setting: 'COUNTERSIGN_TEST_CLOCK_PORT', host: '127.0.0.1', port })
  return { port: (server.address() as AddressInfo).port, close: () => close(server) }
}

function answer(clock: MovableClock, request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  const reply = (status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (request.method === 'POST') {
    const ms = Number(new URL(request.url ?? '/', 'http://clock').searchParams.get('advance'))
    if (!Number.isSafeInteger(ms) || ms < 0 || ms > furthest)
      return void reply(400, { detail: `expected advance as ms from 0 to ${furthest}` })
    clock.advance(ms)
  }
  reply(200, { now: clock.now() })
}

function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  return closed
}
