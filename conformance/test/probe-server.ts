import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Probe } from '@countersign/conformance/receiver'

/** A probe of this process behind a URL, as `--probe` asks it. */
export async function serveProbe(
  probe: Pick<Probe, 'read'> & Partial<Probe>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = http.createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://probe')
    const list = (name: string) => searchParams.get(name)?.split(',') ?? []
    if (request.method === 'POST') {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const action = JSON.parse(Buffer.concat(chunks).toString())
      if (action.do === 'restart') await probe.restart?.()
      if (action.do === 'clock') await probe.setClock?.(action.now)
      if (action.do === 'delay') await probe.setDelay?.(action.ms)
      if (action.do === 'storeFailure') await probe.setStoreFailure?.(action.on)
      response.writeHead(204).end()
      return
    }
    const seen = await probe.read({ ids: list('ids'), reviewCaseIds: list('reviewCaseIds') })
    const can = ['restart', 'clock', 'delay', 'storeFailure']
    response.end(JSON.stringify({ ...seen, can }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
