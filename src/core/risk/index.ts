export { RiskGate, type RiskPorts, type TradingMode } from './gate.js'
export {
  DEFAULT_RULES,
  type KillSwitchState,
  RISK_RULES,
  type RiskCheck,
  type RiskRefusal,
  type RiskRules,
  refusalCode,
  riskRulesChange,
} from './schema.js'
