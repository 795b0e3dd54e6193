//! The admin port, asked as Prometheus asks.

use std::collections::BTreeMap;

use sudoku_validator::server::Admin;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::server::GRACE;

/// The values of series, each by its name and labels. All but times are whole numbers.
pub type Series = BTreeMap<String, u64>;

/// The answer to a request, its head and its body.
pub async fn ask(admin: &Admin, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(admin.address().to_string()).await.unwrap();
    let request = format!("{request} HTTP/1.1\r\nhost: admin\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// The metrics, but for those without a value.
pub async fn scrape(admin: &Admin) -> Series {
    let (head, body) = ask(admin, "GET /metrics").await;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(body.ends_with("# EOF\n"), "{body}");
    let series = body.lines().filter(|line| !line.starts_with('#'));
    let series = series.map(|line| line.rsplit_once(' ').unwrap());
    let mut found = Series::new();
    for (name, value) in series {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "see above")]
        let value = value.parse::<f64>().unwrap() as u64;
        assert_eq!(found.insert(name.to_owned(), value), None, "{name} stands twice");
    }
    found
}

/// Scrapes until a series has a value. That may take a moment where nothing tells when it has.
pub async fn scrape_until(admin: &Admin, series: &str, value: u64) -> Series {
    let mut last = Series::new();
    let found = async {
        loop {
            last = scrape(admin).await;
            if last.get(series) == Some(&value) {
                break;
            }
        }
    };
    let in_time = timeout(GRACE, found).await.is_ok();
    assert!(in_time, "{series} is not {value}: {last:#?}");
    last
}
