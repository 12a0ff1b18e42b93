import type { Client } from '@countersign/client'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { type Pay, payment } from './payment.ts'

/**
 * An MCP server whose tool pays only what a person approved. Clients end a call after 60 s unless told otherwise: the
 * case stays open, and the same order, asked for again, finds it.
 */
export function paymentServer(client: Client, sessionId: string, pay: Pay): McpServer {
  const server = new McpServer({ name: 'payments', version: '1.0.0' })
  server.registerTool(
    'transfer',
    { description: 'Pay an order, once a person approved it', inputSchema: payment.shape },
    async (input, { signal }) => {
      const { approved, decision, comment } = await client.reviewCases.request(
        {
          sessionId,
          checkpointId: `transfer-${input.orderId}`,
          reasonCategory: 'high_risk_action',
          presentation: { action: { tool: 'transfer', arguments: input } },
        },
        { signal },
      )
      const text = approved ? await pay(input) : `not paid: ${comment ?? decision}`
      return { content: [{ type: 'text', text }], isError: !approved }
    },
  )
  return server
}
