//! The methods that are served.

/// A method, or what stands for all that there are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Validate,
    ValidateMany,
    HealthCheck,
    HealthList,
    HealthWatch,
    Reflection,
    ReflectionAlpha,
    Other,
}

impl Method {
    /// The full names, each in the place of its method's number, as in gRPC's own metrics.
    pub(super) const NAMES: [&'static str; 8] = [
        "sudoku.v1.SudokuService/Validate",
        "sudoku.v1.SudokuService/ValidateMany",
        "grpc.health.v1.Health/Check",
        "grpc.health.v1.Health/List",
        "grpc.health.v1.Health/Watch",
        "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        "other",
    ];

    const ALL: [Self; Self::NAMES.len()] = [
        Self::Validate,
        Self::ValidateMany,
        Self::HealthCheck,
        Self::HealthList,
        Self::HealthWatch,
        Self::Reflection,
        Self::ReflectionAlpha,
        Self::Other,
    ];

    /// The method of a request's path.
    pub(super) fn of(path: &str) -> Self {
        let name = path.strip_prefix('/').unwrap_or_default();
        let known = Self::ALL.into_iter().find(|&method| method.name() == name);
        known.unwrap_or(Self::Other)
    }

    pub(super) fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub(super) fn is_sudoku(self) -> bool {
        matches!(self, Self::Validate | Self::ValidateMany)
    }

    pub(super) fn is_health(self) -> bool {
        matches!(self, Self::HealthCheck | Self::HealthList | Self::HealthWatch)
    }

    pub(super) fn is_reflection(self) -> bool {
        matches!(self, Self::Reflection | Self::ReflectionAlpha)
    }

    /// Whether its requests are streams. The drain ends these; the one request of others may still be
    /// on its way, and is waited for.
    pub(super) fn is_stream(self) -> bool {
        self == Self::ValidateMany || self.is_reflection()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rpc::pb::{health, on_the_wire};
    use tonic_reflection::pb::{v1, v1alpha};

    #[test]
    fn every_method_is_known_by_its_path() {
        for (number, method) in Method::ALL.into_iter().enumerate() {
            assert_eq!(method as usize, number);
            assert_eq!(Method::of(&format!("/{}", method.name())), method);
        }
        for path in
            ["", "/", "other", "sudoku.v1.SudokuService/Validate", "/sudoku.v1.SudokuService"]
        {
            assert_eq!(Method::of(path), Method::Other, "{path}");
        }
    }

    #[test]
    fn services_are_named_as_in_the_generated_code() {
        use on_the_wire::sudoku_service_server::SERVICE_NAME as SUDOKU;
        for method in Method::ALL {
            let service = method.name().split('/').next().unwrap();
            let expected = match method {
                _ if method.is_sudoku() => SUDOKU,
                _ if method.is_health() => health::health_server::SERVICE_NAME,
                Method::Reflection => v1::server_reflection_server::SERVICE_NAME,
                Method::ReflectionAlpha => v1alpha::server_reflection_server::SERVICE_NAME,
                _ => "other",
            };
            assert_eq!(service, expected);
        }
    }
}
